/** The commands `hindcast curriculum …`: run a curriculum, show recorded runs, and decide again by other criteria. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Args, Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { Kernel } from "../../kernel/Kernel.ts"
import * as ShippedPlugins from "../../plugins/ShippedPlugins.ts"
import type * as CurriculumRuns from "../../projections/curricula/CurriculumRuns.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Curriculum from "../../worlds/curriculum/Curriculum.ts"
import { NothingListed } from "../command/BadInput.ts"
import { argument, common, flag, given, optionalText, repeatedText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as CurriculumPage from "../pages/curricula/CurriculumPage.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import { workOptions } from "../task/RunCommand.ts"
import * as RunPlugins from "../task/RunPlugins.ts"
import * as CurriculumPlayers from "./CurriculumPlayers.ts"

const FILE = "A curriculum, a YAML or JSON file"

/** No curriculum of this id was run in the log. */
export class CurriculumNotFound extends Data.TaggedError("CurriculumNotFound")<{ readonly id: string }> {
  override get message() {
    return `No run "${this.id}" of a curriculum is in this log. \`hindcast curriculum show\` lists the runs.`
  }
}

/** The replay compared nothing, so it says nothing about the criteria. */
export class NothingDecided extends Data.TaggedError("NothingDecided")<{
  readonly curriculumId: string
  readonly attempts: number
}> {
  override get message() {
    const found =
      this.attempts === 0
        ? "the run has no attempt yet"
        : "none of its attempts was decided at a stage that the other curriculum has"
    return `Nothing was decided again in the run ${this.curriculumId}: ${found}. Choose another run, or use the same names for the stages.`
  }
}

const runOptions = {
  ...common,
  file: argument("file", FILE),
  ...AgentOption.options("the agent that learns"),
  plugin: repeatedText("plugin", "The directory of a plugin to import, for worlds that the curriculum names"),
  seed: workOptions.seed,
  again: flag("again", "Begin again, even if the log has an unfinished run of the same curriculum and agent"),
  ...AgentAtWork.options,
}

export const run = Command.make("run", runOptions, ({ log, json, file, again, plugin, ...typed }) =>
  Effect.gen(function* () {
    // Finds all mistakes before a kernel starts.
    const loaded = yield* Curriculum.load(file)
    const learner = yield* CurriculumPlayers.learner(typed)
    yield* CurriculumPlayers.check(file, typed, loaded)
    const { open, name: filename } = yield* OpenLog.placeOf(log)
    const kernel = yield* AgentAtWork.kernel("curriculum run", open, { ...typed, json })
    const work = Effect.gen(function* () {
      const worlds = yield* worldsOf(loaded, file, plugin, json)
      const players = { learner, load: CurriculumPlayers.load(file, typed) }
      const left = again ? undefined : yield* Curriculum.unfinished(loaded, learner)
      if (left !== undefined && !json) yield* Output.note(`Continuing the run ${left.curriculumId}.`)
      const onProgress = json ? {} : { onProgress: yield* printing(left?.attempts.length ?? 0) }
      // The steps of the tasks are too many to print; questions to people are not.
      const done = yield* AgentAtWork.accompanied({ filename, json: true }, () =>
        Curriculum.run({ loaded, worlds, players, ...onProgress }, { again, ...given({ seed: typed.seed }) }),
      )
      yield* Output.show(json, done, (style) => ["", ...CurriculumPage.list(style, [done])])
    })
    yield* Effect.provide(work, kernel)
  }).pipe(Effect.scoped),
).pipe(Command.withDescription("Let an agent learn by a curriculum, or continue its unfinished run"))

/** Prints each attempt once it is decided, and its guidance. */
const printing = (before: number) =>
  Effect.sync(() => {
    let printed = Math.max(0, before - 1)
    return ({ attempts }: CurriculumRuns.CurriculumRun) =>
      Effect.gen(function* () {
        for (let next = attempts[printed]; next?.decided != null; next = attempts[printed]) {
          // Guidance of a tutor at work follows later.
          if (next.decided.guidance !== undefined && next.guidance === null) return
          const style = Output.styleOf(process.stdout)
          yield* Effect.forEach(CurriculumPage.attemptLines(style, next), Output.write, { discard: true })
          printed += 1
        }
      })
  })

/** The worlds of a curriculum's stages: imported plugins, directories next to the file, and those that come with Hindcast. */
const worldsOf = (loaded: Curriculum.Loaded, file: string, directories: ReadonlyArray<string>, json: boolean) =>
  Effect.gen(function* () {
    const { plugins } = yield* Kernel
    for (const directory of directories) yield* RunPlugins.importPlugin(directory, json)
    const known = new Map<string, string>()
    for (const { world } of loaded.curriculum.stages) {
      if (known.has(world)) continue
      const beside = path.resolve(path.dirname(file), world)
      const directory = isDirectory(beside) ? beside : ShippedPlugins.findWorld(world)
      if (SafeRecord.get(yield* plugins.state, world) !== undefined) known.set(world, world)
      else if (directory !== undefined)
        known.set(world, (yield* RunPlugins.importPlugin(directory, json)).manifest.name)
    }
    if (!json) yield* RunPlugins.askConsents([...new Set(known.values())])
    return yield* Curriculum.inWorlds(loaded, yield* plugins.state, (world) => known.get(world))
  })

const isDirectory = (place: string): boolean => fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true

const RUN = "A run's id, or at least four characters of its beginning or end, if they are unique"

const showOptions = {
  ...common,
  run: Args.text({ name: "run" }).pipe(Args.withDescription(`${RUN}. Default: list all runs`), Args.optional),
}

export const show = Command.make("show", showOptions, ({ log, json, run: typed }) =>
  Effect.gen(function* () {
    const runs = Object.values(yield* Curriculum.runs)
    if (Option.isSome(typed)) {
      const run = yield* runOf(runs, typed)
      return yield* Output.show(json, run, (style) => CurriculumPage.lines(style, run))
    }
    if (runs.length === 0)
      return yield* new NothingListed({ expected: "a curriculum that ran in this log", found: "none" })
    yield* Output.show(json, { runs }, (style) => CurriculumPage.list(style, runs))
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription("List the runs of curricula, or show one: its attempts, and why each was decided as it was"),
)

/** The run of an id, or the last one. */
const runOf = (runs: ReadonlyArray<CurriculumRuns.CurriculumRun>, typed: Option.Option<string>) =>
  Effect.gen(function* () {
    const last = runs.at(-1)
    if (last === undefined)
      return yield* new NothingListed({ expected: "a curriculum that ran in this log", found: "none" })
    if (Option.isNone(typed)) return last
    const ids = runs.map(({ curriculumId }) => curriculumId)
    const id = yield* Ids.find("run", typed.value, ids)
    return runs.find(({ curriculumId }) => curriculumId === id) ?? (yield* new CurriculumNotFound({ id: typed.value }))
  })

const replayOptions = {
  ...common,
  file: argument("file", `${FILE}, whose criteria decide`),
  run: optionalText("run", `${RUN}. Default: the last run`),
}

export const replay = Command.make("replay", replayOptions, ({ log, json, file, run: typed }) =>
  Effect.gen(function* () {
    const loaded = yield* Curriculum.load(file)
    const run = yield* runOf(Object.values(yield* Curriculum.runs), typed)
    const found = yield* Curriculum.replay(run, loaded)
    if (found.compared === 0) {
      const { curriculumId } = run
      return yield* new NothingDecided({ curriculumId, attempts: run.attempts.length })
    }
    yield* Output.show(json, found, (style) => CurriculumPage.replayLines(style, found))
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Decide a recorded run again by a curriculum's criteria, without running anything: where do they differ?",
  ),
)
