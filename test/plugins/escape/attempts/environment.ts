import type { Attempts } from "./Attempt.ts"

export const environment: Attempts = {
  "Deno.env.get": `return Deno.env.get(at.variable)`,
  "Deno.env.has": `return Deno.env.has(at.variable) && at.escaped`,
  "Deno.env.toObject": `return JSON.stringify(Deno.env.toObject())`,
  "Deno.env.set, then get": `Deno.env.set("OTHER", "x"); return Deno.env.get("OTHER") && at.escaped`,
  "process.env by name": `return (await import("node:process")).env[at.variable]`,
  "process.env as a whole": `return JSON.stringify({ ...(await import("node:process")).default.env })`,
  "the keys of process.env": `return Object.keys((await import("node:process")).env).includes(at.variable) && at.escaped`,
  "globalThis.process.env": { tame: `return globalThis.process.env[at.variable].length` },
  "process.report": {
    tame: `return JSON.stringify((await import("node:process")).default.report.getReport().environmentVariables)`,
  },
  "Deno.hostname": `return Deno.hostname() && at.escaped`,
  "Deno.osRelease": `return Deno.osRelease() && at.escaped`,
  "Deno.networkInterfaces": `return Deno.networkInterfaces().length > 0 && at.escaped`,
  "Deno.systemMemoryInfo": `return Deno.systemMemoryInfo() && at.escaped`,
  "Deno.loadavg": `return Deno.loadavg() && at.escaped`,
  "Deno.uid": `return Deno.uid() !== null && at.escaped`,
  "node:os hostname": `return (await import("node:os")).hostname() && at.escaped`,
  "node:os userInfo": `return (await import("node:os")).userInfo() && at.escaped`,
  "node:os networkInterfaces": `return (await import("node:os")).networkInterfaces() && at.escaped`,
  "node:os homedir": `return (await import("node:os")).homedir() && at.escaped`,
  "process.getuid": `return (await import("node:process")).default.getuid() !== undefined && at.escaped`,
}
