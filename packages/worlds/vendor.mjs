/**
 * `node vendor.mjs`: puts Rapier, from the npm package, into `physics/vendor/`, where a sandboxed plugin can import it. It
 * is the package's `build`; what it writes is not kept in git, and is part of the package's tarball.
 *
 * It writes the same bytes everywhere: the plugin's digest in `shipped.json` is of all files of its directory.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const PACKAGE = "@dimforge/rapier2d-deterministic-compat"

const vendor = fileURLToPath(new URL("physics/vendor", import.meta.url))
// The package exports its module only, which is in `dist/`.
const source = path.join(path.dirname(createRequire(import.meta.url).resolve(PACKAGE)), "..")
const { version } = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"))

// Written last: where it is there, everything is.
const notice = path.join(vendor, "NOTICE")
const text = `${PACKAGE} ${version}, unmodified but for the reference to its source map: Apache-2.0, see LICENSE, https://github.com/dimforge/rapier.js\n`
if (fs.existsSync(notice) && fs.readFileSync(notice, "utf8") === text) process.exit(0)

fs.mkdirSync(vendor, { recursive: true })
// Its map of sources is left out, so that nothing looks for it.
const module = fs.readFileSync(path.join(source, "dist", "rapier.mjs"), "utf8")
fs.writeFileSync(path.join(vendor, "rapier.mjs"), module.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"))
fs.copyFileSync(path.join(source, "LICENSE"), path.join(vendor, "LICENSE"))
fs.writeFileSync(notice, text)
