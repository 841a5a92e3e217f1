import type { Attempts } from "./Attempt.ts"

const script = `\`echo out > \${at.marker}\``

export const processes: Attempts = {
  "Deno.Command outputSync": `return new Deno.Command("/bin/sh", { args: ["-c", ${script}] }).outputSync().code`,
  "Deno.Command spawn": `return (await new Deno.Command("/bin/sh", { args: ["-c", ${script}] }).spawn().status).code`,
  "Deno.Command by a bare name": `return new Deno.Command("sh", { args: ["-c", ${script}] }).outputSync().code`,
  "Deno.Command with a cleared environment": `return new Deno.Command("/bin/sh", { args: ["-c", ${script}], clearEnv: true, env: { LD_PRELOAD: "x" } }).outputSync().code`,
  "Deno in Deno, with all permissions": `return new Deno.Command(Deno.execPath(), { args: ["eval", \`Deno.writeTextFileSync("\${at.marker}", "")\`] }).outputSync().code`,
  "Deno.spawn": { tame: `return await Deno.spawn("/bin/sh", ["-c", ${script}]).status` },
  "node:child_process execSync": `return String((await import("node:child_process")).execSync(${script}, { env: {} }))`,
  "node:child_process exec": `const { exec } = await import("node:child_process")
    return await new Promise((resolve, reject) => exec(${script}, { env: {} }, (error) => error ? reject(error) : resolve(at.escaped)))`,
  "node:child_process execFileSync": `return String((await import("node:child_process")).execFileSync("/bin/sh", ["-c", ${script}], { env: {} }))`,
  "node:child_process spawn": `const { spawn } = await import("node:child_process")
    return await new Promise((resolve, reject) => spawn("/bin/sh", ["-c", ${script}], { detached: true, env: {} }).on("close", resolve).on("error", reject))`,
  "node:child_process spawnSync": `const { error } = (await import("node:child_process")).spawnSync("/bin/sh", ["-c", ${script}], { env: {} }); if (error) throw error`,
  "node:child_process fork": {
    tame: `const { fork } = await import("node:child_process")
    return await new Promise((resolve, reject) => fork(at.outside + "/module.mjs", { env: {} }).on("spawn", () => resolve(at.escaped)).on("error", reject))`,
  },
  "node:cluster": { tame: `return (await import("node:cluster")).default.fork() && at.escaped` },
  "process.binding spawn_sync": {
    tame: `return (await import("node:process")).default.binding("spawn_sync").spawn({ file: "/bin/sh", args: ["sh", "-c", ${script}] })`,
  },
  "process.execve": {
    tame: `return (await import("node:process")).default.execve("/bin/sh", ["sh", "-c", ${script}])`,
  },
  "Deno.kill of another process": `Deno.kill(at.victim, "SIGKILL")`,
  "process.kill of another process": `(await import("node:process")).default.kill(at.victim, "SIGKILL")`,
  "process.kill of every process": {
    tame: `(await import("node:process")).default.kill(-at.victim, "SIGKILL"); return at.escaped`,
  },
  "Deno.dlopen of the C library": `return Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }).symbols.getpid() && at.escaped`,
  "Deno.UnsafePointer": { tame: `return Deno.UnsafePointerView.getCString(Deno.UnsafePointer.create(4096n))` },
  "process.dlopen": {
    tame: `(await import("node:process")).default.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libm.so.6"); return at.escaped`,
  },
  "a native addon": {
    tame: `return (await import("node:module")).createRequire(import.meta.url)(at.outside + "/addon.node")`,
  },
  "node:os setPriority of another process": {
    tame: `(await import("node:os")).setPriority(at.victim, 5); return at.escaped`,
  },
  "process.setuid": { tame: `(await import("node:process")).default.setuid(1); return at.escaped` },
  "Deno.permissions.request to run": `return (await Deno.permissions.request({ name: "run" })).state === "granted" && at.escaped`,
  "Deno.permissions.requestSync to read": `return Deno.permissions.requestSync({ name: "read", path: at.outside }).state === "granted" && at.escaped`,
  "Deno.permissions.request to use a library": `return (await Deno.permissions.request({ name: "ffi" })).state === "granted" && at.escaped`,
  "a Permissions of its own making": {
    tame: `const made = Object.create(Permissions.prototype); return (await made.request({ name: "run" })).state === "granted" && at.escaped`,
  },
}
