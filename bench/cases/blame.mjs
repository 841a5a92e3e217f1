/** Blames a file of 1,000 lines after 500 edits, against `git blame` of the same contents as commits. */
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import * as zlib from "node:zlib"
import * as Blame from "../../dist/workspace/history/Blame.js"
import { LineTable } from "../../dist/workspace/history/LineTable.js"
import { spend } from "../measure.mjs"

const LINES = 1000
const EDITS = 500

export const run = async (directory, rounds) => {
  const contents = edited()
  const repository = path.join(directory, "blamed")
  commit(repository, contents)
  const packed = contents.map((content) => zlib.deflateRawSync(content))
  let [ours, gits] = ["", ""]
  const spent = await spend(
    {
      ours: async () => {
        ours = origins(packed)
      },
      git: async () => {
        gits = git(repository, ["blame", "--porcelain", "HEAD", "--", "file.ts"])
      },
    },
    rounds,
  )
  const count = new Set(
    gits
      .split("\n")
      .filter((line) => /^[0-9a-f]{40} /.test(line))
      .map((line) => line.slice(0, 40)),
  )
  if (Math.abs(new Set(ours).size - count.size) > count.size / 50)
    throw new Error(`expected about the ${count.size} commits of git blame, found ${new Set(ours).size}`)
  return [
    {
      what: `blame of ${LINES.toLocaleString("en")} lines after ${EDITS} edits`,
      unit: "ms",
      ours: spent.ours.ms,
      floor: spent.git.ms,
      ratio: spent.ours.ms / spent.git.ms,
      bound: { at: "most", value: 2 },
      floorIs: "git blame of the same contents as commits",
    },
  ]
}

/** Contents of a program's source, each with one edit more: some lines gone, some new, with equal ones among them. */
const edited = () => {
  let seed = 7
  const random = (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * below)
  }
  let counter = 0
  const line = () =>
    ["", "  }", "    return undefined"][random(9)] ?? `    const value${counter} = compute(${counter++}, "a text")`
  let lines = Array.from({ length: LINES }, line)
  const contents = [lines]
  for (let edit = 0; edit < EDITS; edit++) {
    const at = random(LINES - 10)
    const size = 1 + random(6)
    lines = [...lines.slice(0, at), ...Array.from({ length: size }, line), ...lines.slice(at + size)]
    contents.push(lines)
  }
  return contents.map((all) => Buffer.from(`${all.join("\n")}\n`))
}

const origins = (packed) => {
  const table = new LineTable()
  const lines = (body) => table.linesOf(zlib.inflateRawSync(body))
  const versions = (function* () {
    for (const [index, body] of packed.entries()) yield { origin: index, lines: lines(body), isOutside: false }
  })()
  return Blame.of(versions, lines(packed.at(-1)), table).lines.map(({ origin }) => origin)
}

/** One commit for each content, packed as Git packs them. */
const commit = (repository, contents) => {
  git(".", ["init", "--quiet", repository])
  const stream = contents.map((content, index) =>
    Buffer.concat([
      Buffer.from(
        `commit refs/heads/main\ncommitter A <a@example.org> ${1_700_000_000 + index} +0000\ndata 1\nx\nM 644 inline file.ts\ndata ${content.length}\n`,
      ),
      content,
      Buffer.from("\n"),
    ]),
  )
  git(repository, ["fast-import", "--quiet"], Buffer.concat(stream))
  git(repository, ["symbolic-ref", "HEAD", "refs/heads/main"])
  git(repository, ["gc", "--quiet"])
}

const git = (cwd, args, input) => {
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd, input, maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw error ?? new Error(`git ${args[0]}: ${stderr}`)
  return stdout.toString()
}
