import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import fc from "fast-check"
import { expect, it, vi } from "vitest"
import { IgnoreRules } from "../../src/workspace/scan/IgnoreRules.ts"
import { Scan } from "../../src/workspace/scan/Scan.ts"

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

const ours = (root: string) => {
  const files: Array<string> = []
  new Scan({ root, rules: new IgnoreRules(root), limit: 1_000, isOwn: () => false }).run((file) => files.push(file))
  return files.sort()
}

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
        "*\\/a",
        "**\\/a",
        "dir\\/a",
        "\\/a",
        "dir\\/**",
        "a\\/",
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

/** Returns once the file system's clock has moved on: what is written then has another time than what was written before. */
const untilNextTime = (root: string) => {
  const touched = path.join(root, ".git", "touched")
  const now = () => {
    fs.writeFileSync(touched, "")
    return fs.statSync(touched).mtimeMs
  }
  for (const start = now(); now() === start; );
}

it("apply as they are now, to directories that were listed before too", () => {
  const step = fc.oneof(
    fc.record({
      file: fc.constantFrom(".gitignore", "dir/.gitignore", "dir/sub/.gitignore", ".git/info/exclude"),
      text: fc.constantFrom("", "*.log", "a", "dir", "sub/", "!a", "/dir/*\n!/dir/sub"),
    }),
    fc.record({ file: fc.constantFrom("dir/new", "dir/sub/x.log", "fresh/a", "a"), text: fc.constant("x") }),
    fc.record({ gone: fc.constantFrom("dir/sub", "dir/.gitignore", "a", "fresh") }),
    fc.record({ tracked: fc.constantFrom("b.log", "dir/a", "dir/sub/a") }),
  )
  // As if everything had been written long before it was looked at: otherwise nothing counts as unchanged.
  const clock = vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() + 60_000)
  try {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const root = repository({})
        let listed = 0
        const rules = new IgnoreRules(root)
        const isOwn = () => {
          listed++
          return false
        }
        const scan = new Scan({ root, rules, limit: 1_000, isOwn })
        const look = () => {
          const files: Array<string> = []
          scan.run((file) => files.push(file))
          return files.sort()
        }
        look()
        for (const one of steps) {
          untilNextTime(root)
          if ("gone" in one) fs.rmSync(path.join(root, one.gone), { recursive: true, force: true })
          else if ("tracked" in one) {
            if (fs.existsSync(path.join(root, one.tracked)))
              execFileSync("git", ["add", "-f", one.tracked], { cwd: root })
          } else {
            fs.mkdirSync(path.dirname(path.join(root, one.file)), { recursive: true })
            fs.writeFileSync(path.join(root, one.file), one.text)
          }
          const expected = ofGit(root).filter((name) => fs.existsSync(path.join(root, name)))
          expect(look()).toEqual(expected)
          listed = 0
          expect(look()).toEqual(expected)
          expect(listed).toBe(0)
        }
        fs.rmSync(root, { recursive: true })
      }),
      { numRuns: 25 },
    )
  } finally {
    clock.mockRestore()
  }
}, 90_000)
