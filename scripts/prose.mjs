/**
 * `npm run check:prose [FILES]`: checks the language of pages and comments. textlint applies our rules
 * (`scripts/prose/rules.mjs`) to both, cspell checks the pages' British spelling with the words of
 * `scripts/prose/words.txt`. Default: every page and module.
 */
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { fetched } from "./fetch.mjs"
import { commentsOf } from "./prose/comments.mjs"
import { openings, terms } from "./prose/rules.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const modules = fetched("scripts/checking")
const load = createRequire(path.join(modules, "prose.js"))
const { TextlintKernel } = load("@textlint/kernel")
const { default: markdown } = load("@textlint/textlint-plugin-markdown")

const PAGES = /^(?:docs|src|packages|examples|plugins|template)\/|^[A-Z]+\.md$/
const isPage = (name) => name.endsWith(".md") && PAGES.test(name)
const isModule = (name) =>
  /^(?:src|packages|plugins|examples|bench|scripts|template)\/.*\.(?:ts|tsx|mjs|js)$/.test(name)

const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n")
const wanted = process.argv.slice(2).map((name) => path.relative(root, path.resolve(name)).replaceAll(path.sep, "/"))
const names = wanted.length > 0 ? wanted : tracked.filter((name) => fs.existsSync(path.join(root, name)))
const pages = names.filter(isPage)
const sources = names.filter(isModule)
if (pages.length + sources.length === 0) {
  console.error(`Expected pages or modules of this repository, found none in: ${wanted.join(" ")}.`)
  process.exit(2)
}

const kernel = new TextlintKernel()
const lint = (name, text) =>
  kernel.lintText(text, {
    filePath: name,
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown }],
    rules: [
      { ruleId: "terms", rule: terms },
      { ruleId: "openings", rule: openings },
    ],
  })

let found = 0
for (const name of [...pages, ...sources]) {
  const text = fs.readFileSync(path.join(root, name), "utf8")
  const { messages } = await lint(name, isPage(name) ? text : commentsOf(name, text))
  for (const { line, column, message, ruleId } of messages) {
    found++
    console.error(`${name}:${line}:${column}  ${message}  (${ruleId})`)
  }
}

const spelling =
  pages.length === 0
    ? 0
    : spawnSync(
        process.execPath,
        [
          path.join(modules, "cspell", "bin.mjs"),
          "--no-progress",
          "--no-summary",
          "--config",
          "scripts/prose/cspell.json",
          "--file-list",
          "stdin",
        ],
        { cwd: root, input: pages.join("\n"), stdio: ["pipe", process.stderr.fd, process.stderr.fd] },
      ).status

console.error(
  `${pages.length} pages and the comments of ${sources.length} modules: ${found} places to rewrite, spelling ${spelling === 0 ? "is right" : "as above"}.`,
)
if (spelling !== 0) console.error("A word that is right goes into scripts/prose/words.txt.")
process.exitCode = found === 0 && spelling === 0 ? 0 : 1
