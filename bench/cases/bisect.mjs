/** Bisects 256 recorded steps, against `git bisect run` of the same history as commits. */
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as FileBisection from "../../dist/workspace/bisect/FileBisection.js"
import * as States from "../../dist/workspace/bisect/States.js"
import * as Changes from "../../dist/workspace/model/Changes.js"
import * as Document from "../../dist/workspace/model/Document.js"
import { Snapshots } from "../../dist/workspace/Snapshots.js"
import { ContentStore } from "../../dist/workspace/store/ContentStore.js"
import { spend } from "../measure.mjs"

const FILES = 200
const STEPS = 256
const FIRST_BAD = 171
const COMMAND = "node check.mjs"
/** A small test program: it reads all sources. */
const CHECK = `import * as fs from "node:fs"
for (const directory of fs.readdirSync("src"))
  for (const file of fs.readdirSync("src/" + directory))
    if (fs.readFileSync("src/" + directory + "/" + file, "utf8").includes("broken")) process.exit(1)
`

export const run = async (directory, rounds) => {
  const root = path.join(fs.realpathSync(directory), "bisected")
  const store = ContentStore.open(path.join(directory, "bisected.files"))
  const looks = record(root, store)
  let round = 0
  const bisect = async (jobs, endsAtOnce) => {
    const scratch = path.join(fs.realpathSync(directory), `scratch-${++round}`)
    fs.mkdirSync(scratch)
    const trees = new Map()
    const treeOf = (base) => trees.get(base) ?? trees.set(base, store.tree(base)).get(base)
    const found = await Effect.runPromise(
      FileBisection.find({
        ...{ states: States.of(looks, treeOf), looks, treeOf, contents: store, scratch, jobs, endsAtOnce, known: [] },
        ...{ command: COMMAND, timeoutMs: 60_000, advice: "", onTested: () => Effect.void },
        copied: { tree: new Map(), contents: { get: () => undefined }, leadingOut: [], left: [] },
      }),
    )
    fs.rmSync(scratch, { recursive: true })
    assertFirst(found.bad.state.look.event.position)
  }
  const spent = await spend(
    {
      // As the command does on a machine with two cores or more.
      byDefault: () => bisect(1, true),
      one: () => bisect(1, false),
      two: () => bisect(2, false),
      git: async () => gitBisect(root),
      endsToo: async () => {
        if (exitCodeAt(root, "step-0") !== 0 || exitCodeAt(root, `step-${STEPS}`) !== 1)
          throw new Error("expected a good first and a bad last step")
        gitBisect(root)
      },
    },
    rounds,
  )
  store.close()
  const row = (what, ours, floor) => ({
    what: `bisect --run ${what}over ${STEPS} steps among ${FILES} files`,
    unit: "ms",
    ours,
    floor: floor.ms,
    ratio: ours / floor.ms,
  })
  const bound = { at: "most", value: 1.2 }
  const ofRun = { bound, floorIs: "git bisect run of the same history as commits, which tests neither end" }
  return [
    { ...row("", spent.byDefault.ms, spent.git), ...ofRun },
    { ...row("--jobs 1 ", spent.one.ms, spent.git), ...ofRun },
    { ...row("--jobs 2 ", spent.two.ms, spent.git), ...ofRun },
    {
      ...row("(both ends tested) ", spent.byDefault.ms, spent.endsToo),
      bound,
      floorIs: "git checkout and the command at both ends, then git bisect run: what it takes to know as much",
    },
  ]
}

const gitBisect = (root) => {
  git(root, "bisect", "start", `step-${STEPS}`, "step-0")
  git(root, "bisect", "run", "sh", "-c", COMMAND)
  assertFirst(Number(git(root, "describe", "--tags", "--exact-match", "refs/bisect/bad").trim().slice(5)))
  git(root, "bisect", "reset")
}

const exitCodeAt = (root, commit) => {
  git(root, "checkout", "--quiet", "--detach", commit)
  return spawnSync("sh", ["-c", COMMAND], { cwd: root, stdio: "ignore" }).status
}

const assertFirst = (found) => {
  if (found !== FIRST_BAD) throw new Error(`expected the first bad step ${FIRST_BAD}, found ${found}`)
}

/** One edit a step; a step's position is its number. */
const record = (root, store) => {
  for (let index = 0; index < FILES; index++) {
    const within = path.join(root, "src", `d${index % 20}`)
    fs.mkdirSync(within, { recursive: true })
    fs.writeFileSync(path.join(within, `f${index}.ts`), `export const value${index} = ${index}\n`.repeat(40))
  }
  fs.writeFileSync(path.join(root, "check.mjs"), CHECK)
  git(root, "init", "--quiet")
  const snapshots = new Snapshots({ root, store })
  let tree = snapshots.take().tree
  commit(root, 0)
  const look = (position, base, files) => ({
    ...{ taskId: "task", root, base, files },
    event: { position, timeline: "main", id: `event-${position}` },
  })
  const looks = [look(0, snapshots.keep(tree), [])]
  for (let step = 1; step <= STEPS; step++) {
    const index = (step * 37) % FILES
    const file = path.join(root, "src", `d${index % 20}`, `f${index}.ts`)
    fs.appendFileSync(file, `export const added${step} = ${step * 7919}\n`)
    if (step === FIRST_BAD) fs.appendFileSync(path.join(root, "src/d1/f1.ts"), "broken\n")
    const after = snapshots.take().tree
    const patch = Changes.between(tree, after).flatMap((change) => Document.operations(change, {}))
    looks.push(look(step, undefined, Document.read(patch)))
    tree = after
    commit(root, step)
  }
  git(root, "gc", "--quiet")
  return looks
}

const commit = (root, step) => {
  git(root, "add", "-A")
  git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", `step ${step}`)
  git(root, "tag", `step-${step}`)
}

const git = (cwd, ...args) => execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
