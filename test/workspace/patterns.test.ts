import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { IgnoreRules } from "../../src/workspace/scan/IgnoreRules.ts"
import * as Scan from "../../src/workspace/scan/Scan.ts"

const FILES = [
  "a",
  "b.log",
  "B.LOG",
  "x y",
  "dir/a",
  "dir/b.log",
  "dir/sub/a",
  "dir/sub/c.ts",
  "other/sub/a",
  "o[1]",
  "#a",
  "!a",
]

const repository = (rules: { readonly [file: string]: string }) => {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-ignore-")))
  execFileSync("git", ["init", "-q"], { cwd: root })
  for (const [file, text] of [...FILES.map((file) => [file, ""] as const), ...Object.entries(rules)]) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), text)
  }
  return root
}

const ofGit = (root: string) =>
  execFileSync("git", ["-c", "core.excludesFile=/dev/null", "ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: root,
  })
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "")
    .sort()

const ours = (root: string) => [...Scan.scan(root, new IgnoreRules(root), 1_000, () => false).files.keys()].sort()

const compared = (rules: { readonly [file: string]: string }, after: (root: string) => void = () => {}) => {
  const root = repository(rules)
  after(root)
  try {
    expect(ours(root)).toEqual(ofGit(root))
  } finally {
    fs.rmSync(root, { recursive: true })
  }
}

it("are read as Git reads them", () => {
  const one = fc.oneof(
    fc.constantFrom(
      ..."a *.log dir/ /dir dir/* dir/** **/sub sub/ /**/a dir/**/a !a !dir/sub *.[lt]* [!a]* x\\ y"
        .split(" ")
        .slice(0, -1),
      ...[
        "x\\ y",
        "x y ",
        "\\#a",
        "\\!a",
        "#a",
        "[[:alpha:]]",
        "o[[]1]",
        "**",
        "*",
        "?",
        "",
        "a\r",
        "**a",
        "dir**",
        "/",
        "[",
        "\\",
      ],
    ),
    fc.string({ unit: fc.constantFrom(..."ab*?/!.[]-\\ dir"), maxLength: 6 }).filter((text) => text.trim() !== ""),
  )
  const file = fc.array(one, { maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`)
  fc.assert(
    fc.property(file, fc.option(file), (root, inner) =>
      compared({ ".gitignore": root, ...(inner === null ? {} : { "dir/.gitignore": inner }) }),
    ),
    { numRuns: 60 },
  )
}, 60_000)

it("do not hide what Git tracks, nor apply in `.git/info/exclude` to it", () => {
  compared({ ".gitignore": "*.log\ndir/\n", ".git/info/exclude": "a\n" }, (root) => {
    execFileSync("git", ["add", "-f", "dir/sub/c.ts", "b.log"], { cwd: root })
  })
})

it("match in time that their length bounds", () => {
  const hostile = `${"*a".repeat(400)}b\n/${"**/".repeat(300)}x${"*a".repeat(200)}c\n`
  const root = repository({ ".gitignore": hostile })
  const deep = path.join(root, ...Array.from({ length: 12 }, () => "a".repeat(200)))
  fs.mkdirSync(deep, { recursive: true })
  fs.writeFileSync(path.join(deep, "a".repeat(200)), "")
  expect(ours(root).length).toBe(FILES.length + 2)
  fs.rmSync(root, { recursive: true })
}, 20_000)
