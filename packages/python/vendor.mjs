/**
 * `node vendor.mjs`: copies Pyodide from the npm package into `vendor/`, where a sandboxed plugin can read it, unless
 * it is up to date. This is the package's `build`; the tarball includes the copy, git does not.
 *
 * It writes the same bytes everywhere: the digest in `shipped.json` covers all files of this directory.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const vendor = fileURLToPath(new URL("vendor", import.meta.url))
const source = path.dirname(createRequire(import.meta.url).resolve("pyodide/package.json"))
const { version } = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"))

const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]

// Written last: if it exists, everything does.
const notice = path.join(vendor, "NOTICE")
const text =
  `Pyodide ${version}, unmodified but for an empty list of packages: MPL-2.0, https://github.com/pyodide/pyodide\n` +
  "CPython and its standard library inside it: Python Software Foundation License, https://docs.python.org/3/license.html\n"
if (fs.existsSync(notice) && fs.readFileSync(notice, "utf8") === text) process.exit(0)

fs.rmSync(vendor, { recursive: true, force: true })
fs.mkdirSync(vendor, { recursive: true })
for (const file of FILES) fs.copyFileSync(path.join(source, file), path.join(vendor, file))
// Keeps only the target platform from the list of packages that Pyodide could fetch: there is nothing to fetch.
const { info } = JSON.parse(fs.readFileSync(path.join(source, "pyodide-lock.json"), "utf8"))
fs.writeFileSync(path.join(vendor, "pyodide-lock.json"), `${JSON.stringify({ info, packages: {} })}\n`)
fs.writeFileSync(notice, text)
