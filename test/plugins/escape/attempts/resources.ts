import type { Attempts } from "./Attempt.ts"

/** Fills a temporary table of SQLite with 24 MB that its cache does not hold, in a directory of its choice. */
const spill = (directory: string) => `const { DatabaseSync } = await import("node:sqlite")
  const db = new DatabaseSync(":memory:")
  db.exec("PRAGMA temp_store = 1; PRAGMA temp_store_directory = '" + ${directory} + "'; CREATE TEMP TABLE spilled (bytes); PRAGMA temp.cache_size = 8")
  const insert = db.prepare("INSERT INTO spilled VALUES (randomblob(1000000))")
  for (let i = 0; i < 24; i++) insert.run()
  return at.escaped`

const write = (directory: string) => `const place = ${directory} + "/hindcast-escape-" + crypto.randomUUID()
  await Deno.writeFile(place, new Uint8Array(1000)); const { size } = await Deno.stat(place); await Deno.remove(place); return size === 1000 && at.escaped`

/** The machine's disks, memory and graphics, used up or reached without a file that anybody would miss. */
export const resources: Attempts = {
  "SQLite's temporary files where it wants them": spill(`"/tmp"`),
  "SQLite's temporary files in memory that is shared": spill(`"/dev/shm"`),
  "SQLite's temporary files for later boots": spill(`"/var/tmp"`),
  "SQLite's temporary files in the workspace": spill(`at.workspace`),
  "SQLite's temporary files in its own directory": spill(`at.plugin`),
  "SQLite's temporary files in its Deno cache": spill(`at.plugin + "/../deno"`),
  "SQLite's temporary files at the root": { tame: spill(`"/"`) },
  "SQLite's temporary files at a device": { tame: spill(`"/dev"`) },
  "SQLite's temporary files where nobody says": spill(`""`),
  "a file in /tmp": write(`"/tmp"`),
  "a file in /dev/shm": write(`"/dev/shm"`),
  "a file in its Deno cache": write(`at.plugin + "/../deno"`),
  "the machine's graphics libraries, by WebGPU": {
    tame: `await navigator.gpu?.requestAdapter()
      if (/lib(EGL|GL|GLX|vulkan|gallium|LLVM)[^/]*\\.so|_dri\\.so/.test(Deno.readTextFileSync("/proc/self/maps"))) return at.escaped
      throw new Error("none was loaded")`,
  },
  "an adapter of WebGPU": {
    tame: `if (await navigator.gpu.requestAdapter()) return at.escaped; throw new Error("there is none")`,
  },
}
