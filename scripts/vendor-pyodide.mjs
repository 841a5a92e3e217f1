/**
 * `node scripts/vendor-pyodide.mjs`: puts Pyodide, from the npm package, into `plugins/python/vendor`, where a sandboxed
 * plugin can read it, and makes the snapshot that its sessions start from. Does nothing where both are up to date.
 * Part of `npm run build`; what it writes is not kept in git.
 */
import { execFileSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const plugin = fileURLToPath(new URL("../plugins/python", import.meta.url))
const vendor = path.join(plugin, "vendor")
const require = createRequire(import.meta.url)
const source = path.dirname(require.resolve("pyodide/package.json"))
const { version } = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"))

const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]
const MADE_OF = ["pyodide.ts", "snapshot.ts", "interpreter/run.py", "interpreter/host.py", "interpreter/wheels.py"]

/** Deno's binary: as `Tools.find` looks for it. */
const deno = () => {
  const own = require.resolve("deno/package.json")
  const libc = process.platform === "linux" ? "-glibc" : ""
  const binary = process.platform === "win32" ? "deno.exe" : "deno"
  try {
    const found = createRequire(own).resolve(`@deno/${process.platform}-${process.arch}${libc}/package.json`)
    return path.join(path.dirname(found), binary)
  } catch {
    return path.join(path.dirname(own), binary)
  }
}

const digest = () => {
  const hash = crypto.createHash("sha256").update(version)
  for (const file of MADE_OF) hash.update(fs.readFileSync(path.join(plugin, file)))
  return hash.digest("hex")
}

const stamp = path.join(vendor, "stamp")
const madeOf = digest()
if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === madeOf) process.exit(0)

fs.rmSync(vendor, { recursive: true, force: true })
fs.mkdirSync(vendor, { recursive: true })
for (const file of FILES) fs.copyFileSync(path.join(source, file), path.join(vendor, file))
// Of the list of packages that Pyodide could fetch, only what it is for: there is nothing to fetch.
const { info } = JSON.parse(fs.readFileSync(path.join(source, "pyodide-lock.json"), "utf8"))
fs.writeFileSync(path.join(vendor, "pyodide-lock.json"), `${JSON.stringify({ info, packages: {} })}\n`)
fs.writeFileSync(
  path.join(vendor, "NOTICE"),
  `Pyodide ${version}, unmodified but for an empty list of packages: MPL-2.0, https://github.com/pyodide/pyodide\n` +
    "CPython and its standard library inside it: Python Software Foundation License, https://docs.python.org/3/license.html\n",
)

const cache = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-deno-"))
try {
  execFileSync(
    deno(),
    [
      ...["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"],
      ...[`--allow-read=${plugin}`, `--allow-write=${vendor}`],
      "--v8-flags=--max-old-space-size=128,--wasm-max-mem-pages=2048",
      path.join(plugin, "snapshot.ts"),
    ],
    { env: { DENO_DIR: cache, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" }, stdio: ["ignore", "inherit", "inherit"] },
  )
  fs.writeFileSync(stamp, madeOf)
} catch (cause) {
  process.stderr.write(
    `plugins/python: no snapshot could be made, so its sessions start cold, in about two seconds: ${cause.message}\n`,
  )
} finally {
  fs.rmSync(cache, { recursive: true, force: true })
}
