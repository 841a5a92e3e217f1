import type { Attempts } from "./Attempt.ts"

const opened = `const fs = await import("node:fs"); const fd = fs.openSync(at.plugin + "/main.ts", "r");`

/** What is done to a file that may be read, by its descriptor: Deno asks for no permission there. */
export const descriptors: Attempts = {
  "fchmod of its own copy": `${opened} fs.fchmodSync(fd, 0o4755)`,
  "fchmod of its own copy, by a promise": `await (await (await import("node:fs/promises")).open(at.plugin + "/main.ts", "r")).chmod(0o666)`,
  "fchown of its own copy": { tame: `${opened} fs.fchownSync(fd, 12345, 12345)` },
  "futimes of its own copy": `${opened} fs.futimesSync(fd, 1, 1)`,
  "futimes of its own copy, by Deno": `using file = Deno.openSync(at.plugin + "/main.ts"); file.utimeSync(2, 2)`,
  "futimes of its own copy, by a promise": `await (await (await import("node:fs/promises")).open(at.plugin + "/main.ts", "r")).utimes(3, 3)`,
  "fchmod of the directory that it may read": {
    tame: `const fs = await import("node:fs"); fs.fchmodSync(fs.openSync(at.workspace, "r"), 0o777)`,
  },
}
