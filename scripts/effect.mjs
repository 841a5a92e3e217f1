/**
 * `node scripts/effect.mjs`, part of `npm run check`: keeps what differs between Effect 3 and 4 in few places, to keep
 * a move small (`docs/explanation/dependencies.md`).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** What modules outside `places` must not use, and its replacement. */
const RULES = [
  {
    found: /\b(?:SchemaAST|ParseResult)\b/,
    places: ["src/values/"],
    instead: "the modules of src/values/schema, which read a schema's syntax tree and its issues",
  },
  { found: /\.ast\.(?:annotations|_tag)\b/, places: ["src/values/"], instead: "src/values/schema/Structure.ts" },
  { found: /\bparseOptions\s*:/, places: [], instead: "parse options where the schema is decoded" },
  {
    found: /\.message\.(?:startsWith|includes|match|replace)\(\s*[`"'/]\^?(?:Expected|is missing|is unexpected)/,
    places: [],
    instead: "the issue's tag, not its text",
  },
  {
    found: /\bPCGRandom\b|from "effect\/Utils"/,
    places: [],
    instead: "src/values/random/Pcg32.ts, whose seeds keep their meaning",
  },
  {
    found:
      /\b(?:withFiberRuntime|getFiberRef|currentRuntimeFlags|interruptedCause|unsafeInterruptAsFork)\b|\bRuntimeFlags\b/,
    places: ["src/platform/fibers/CallingFiber.ts"],
    instead: "src/platform/fibers/CallingFiber.ts, or Fiber's functions",
  },
  { found: /from "effect\/(?:dist|internal)\b/, places: [], instead: "a public module of effect" },
]

const modules = fs
  .readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => path.posix.join("src", name.split(path.sep).join("/")))

/** Without comments, which may name it. */
const codeOf = (text) =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, " "))

for (const module of modules) {
  const lines = codeOf(fs.readFileSync(path.join(root, module), "utf8")).split("\n")
  for (const { found, places, instead } of RULES) {
    if (places.some((place) => module.startsWith(place))) continue
    for (const [index, line] of lines.entries()) {
      if (!found.test(line)) continue
      process.stdout.write(`${module}:${index + 1}: found \`${line.trim().slice(0, 100)}\`; expected ${instead}\n`)
      process.exitCode = 1
    }
  }
}
