/**
 * `node scripts/wheel.mjs`: makes the wheel of the Python package, `dist/python/hindcast-VERSION-py3-none-any.whl`, and
 * the archive that serves environments written in Python, `dist/plugins/runner/runner.pyz`, from `python/src`. Part of
 * the build, without Python: a wheel of pure Python is a zip file with metadata (PEP 427), and Python runs a zip file
 * that has a `__main__.py`. The same sources give the same bytes.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"

const root = fileURLToPath(new URL("..", import.meta.url))
const source = path.join(root, "python", "src")
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))

/** The oldest Python: `test/python/interpreter.ts` has it too. */
const PYTHON = ">=3.9"

const METADATA = `Metadata-Version: 2.1
Name: hindcast
Version: ${version}
Summary: Ask logs of agents, and act in worlds: the Python package of Hindcast
License: MIT
Requires-Python: ${PYTHON}
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

${fs.readFileSync(path.join(root, "python", "README.md"), "utf8")}`

const WHEEL = `Wheel-Version: 1.0
Generator: hindcast
Root-Is-Purelib: true
Tag: py3-none-any
`

const filesIn = (directory) =>
  fs
    .readdirSync(path.join(source, directory), { withFileTypes: true })
    .filter(({ name }) => name !== "__pycache__")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${directory}/${entry.name}`) : [`${directory}/${entry.name}`]))

/** The checksum of zip files. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

const crc32 = (bytes) => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]
  return (crc ^ 0xffffffff) >>> 0
}

/** 1980-01-01 00:00, the earliest time of a zip file, in its format. */
const [TIME, DATE] = [0, 0x21]

const zipOf = (files) => {
  const [parts, directory] = [[], []]
  let at = 0
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes, { level: 9 })
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt16LE(TIME, 6)
    fields.writeUInt16LE(DATE, 8)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    parts.push(Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name), packed)
    const place = Buffer.alloc(14)
    // A file that its owner may write and everybody may read.
    place.writeUInt32LE((0o100644 << 16) >>> 0, 6)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), fields, place, Buffer.from(name))
    at += 30 + Buffer.byteLength(name) + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, listed, Buffer.from("PK\x05\x06", "latin1"), end])
}

const info = `hindcast-${version}.dist-info`
const modules = filesIn("hindcast").map((name) => ({ name, bytes: fs.readFileSync(path.join(source, name)) }))
const files = [
  ...modules,
  { name: `${info}/LICENSE`, bytes: fs.readFileSync(path.join(root, "LICENSE")) },
  { name: `${info}/METADATA`, bytes: Buffer.from(METADATA) },
  { name: `${info}/WHEEL`, bytes: Buffer.from(WHEEL) },
]
const record = files.map(
  ({ name, bytes }) => `${name},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}\n`,
)
files.push({ name: `${info}/RECORD`, bytes: Buffer.from(`${record.join("")}${info}/RECORD,,\n`) })

const place = path.join(root, "dist", "python")
fs.rmSync(place, { recursive: true, force: true })
fs.mkdirSync(place, { recursive: true })
fs.writeFileSync(path.join(place, `hindcast-${version}-py3-none-any.whl`), zipOf(files))

const MAIN = `import sys

from hindcast._host.main import main

main(sys.argv[1:])
`

const runners = path.join(root, "dist", "plugins", "runner")
fs.mkdirSync(runners, { recursive: true })
const archive = path.join(runners, "runner.pyz")
const partial = `${archive}.${process.pid}.partial`
fs.writeFileSync(partial, zipOf([{ name: "__main__.py", bytes: Buffer.from(MAIN) }, ...modules]))
// Processes may run the one before.
fs.renameSync(partial, archive)
