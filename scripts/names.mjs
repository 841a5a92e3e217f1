/**
 * `node scripts/names.mjs`, part of `npm run check`: each of these words of the glossary names one exported declaration
 * in `src/`, so that it cannot mean two things.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const WORDS = ["Verdict", "Frame", "Page", "Chunk", "Run", "View", "Turn"]

/** The types for authors of plugins, one file that imports nothing and so declares their verdicts once more. */
const FOR_AUTHORS = "src/plugins/author.ts"

const EXPORTED = new RegExp(
  `^export (?:declare |abstract |async )*(?:const|let|function\\*?|class|interface|type|enum|namespace) (${WORDS.join("|")})\\b`,
  "gm",
)

const modules = fs
  .readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => path.posix.join("src", name.split(path.sep).join("/")))
  .filter((name) => name !== FOR_AUTHORS)

/** A type and a value of one name in one module are one declaration: a schema and its type. */
const places = new Map(WORDS.map((word) => [word, new Set()]))
for (const module of modules)
  for (const [, word] of fs.readFileSync(path.join(root, module), "utf8").matchAll(EXPORTED))
    places.get(word)?.add(module)

const declared = [...places.values()].reduce((sum, { size }) => sum + size, 0)
if (declared === 0) {
  process.stdout.write(
    `expected exported declarations of ${WORDS.join(", ")} in src/, found none: nothing was checked\n`,
  )
  process.exitCode = 1
}
for (const [word, found] of places) {
  if (found.size < 2) continue
  process.stdout.write(
    `${word}: expected one exported declaration, found ${found.size} (${[...found].join(", ")}); rename all but the one of docs/reference/glossary.md\n`,
  )
  process.exitCode = 1
}
