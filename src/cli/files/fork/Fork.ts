/** The command `hindcast files fork`: a recorded session continues from a moment, in a directory with its files at that moment. */
import * as fs from "node:fs"
import { Command } from "@effect/cli"
import { Cause, Effect, Option } from "effect"
import { EventLog, NoStream } from "../../../events/log/EventLog.ts"
import * as Clients from "../../../hooks/clients/Clients.ts"
import { userAsActor } from "../../../platform/user/Machine.ts"
import * as Redaction from "../../../record/http/Redaction.ts"
import * as ForkRecord from "../../../workspace/fork/ForkRecord.ts"
import * as Handover from "../../../workspace/fork/Handover.ts"
import * as RecordedContent from "../../../workspace/questions/RecordedContent.ts"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import { DirectoryUnfit } from "../../../workspace/restore/RestoreInto.ts"
import { BadInput } from "../../command/BadInput.ts"
import { argument, flag, MOMENT, optionalText, repeatedText } from "../../command/CommonOptions.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as TrustLog from "../../command/TrustLog.ts"
import * as ForkLines from "../../pages/files/ForkLines.ts"
import * as ForkProgram from "../../record/ForkProgram.ts"
import * as Program from "../../record/Program.ts"
import * as FilesOptions from "../FilesOptions.ts"
import { NotAllRestored } from "../NotAllRestored.ts"
import * as ForkDirectory from "./ForkDirectory.ts"
import * as ForkedSession from "./ForkedSession.ts"
import * as NewSession from "./NewSession.ts"

const options = {
  ...FilesOptions.common,
  moment: argument("moment", `The last moment that both share: ${MOMENT}`),
  into: optionalText(
    "into",
    "The directory to start in: an empty one, or none yet, outside of Git repositories. Default: a new temporary one",
  ),
  task: optionalText("task", "The session's task. Default: that of the event at the moment"),
  run: flag("run", "Start the coding agent in this terminal. Default: only print the command that starts it"),
  client: optionalText("client", "Another coding agent that continues. Default: that of the session"),
  model: optionalText("model", "The model, by the name that the coding agent uses"),
  prompt: optionalText("prompt", "The next prompt. Default: one that asks the agent to continue from the moment"),
  copy: repeatedText(
    "copy",
    "A path that snapshots leave out, such as node_modules, to copy from the workspace as it is now",
  ),
  partial: flag("partial", "Accept that some recorded files cannot be restored, and list them"),
  decrypt: flag("decrypt", "Hand over personal data of the conversation as plain text where its keys still exist"),
  trustLog: TrustLog.option,
  words: Program.words,
}

export const fork = Command.make("fork", options, (typed) =>
  Effect.gen(function* () {
    yield* checkTyped(typed)
    const { session, made } = yield* prepare(typed).pipe(
      Effect.scoped,
      Effect.provide(OpenLog.forPast(typed.log, { personal: typed.decrypt })),
    )
    yield* session.kind === "program" ? runProgram(typed, session, made) : handOver(typed, session, made)
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Continue a recorded session from a moment, in a new directory with its files at that moment: a coding agent in a session that begins with the conversation so far, or, after --, the recorded program",
  ),
)

type Typed = Command.Command.ParseConfig<typeof options>

const checkTyped = ({ model, client, prompt, words, run }: Typed): Effect.Effect<void, BadInput> => {
  const wrong = (input: string, expected: string, found: string) => new BadInput({ input, expected, found })
  if (words.length > 0 && Option.isSome(model))
    return wrong("--model", "no program after -- with it", "both: name the model in the program's own words")
  if (words.length > 0 && Option.isSome(client)) return wrong("--client", "no program after -- with it", "both")
  if (words.length > 0 && run) return wrong("--run", "no program after -- with it, which runs anyway", "both")
  const bytes = Option.isSome(prompt) ? Buffer.byteLength(prompt.value) : 0
  if (bytes > MAX_PROMPT) return wrong("--prompt", `at most ${MAX_PROMPT} bytes`, `${bytes}`)
  return Effect.void
}

const MAX_PROMPT = 16 * 1024

interface Made extends ForkDirectory.ForkDirectory {
  readonly root: string
  /** The position whose files the directory has. */
  readonly filesAt: number
  readonly handover: string
  /** The command to start there; a recorded program comes with its words. */
  readonly words: ReadonlyArray<string>
  readonly written: Handover.WrittenHandover | undefined
  /** The head of the log before. */
  readonly head: number
}

/** Finds the session, and writes the directory and the first prompt. */
const prepare = (typed: Typed) =>
  Effect.gen(function* () {
    const whole = yield* EventLog
    // An agent would read a stranger's conversation, and work with a stranger's files.
    yield* TrustLog.settled(typed)
    const session = yield* ForkedSession.find(whole, typed.moment, typed.task)
    const { kind, from } = session
    // Only a log in a file answers the program's requests.
    if (kind === "program") yield* OpenLog.fileOf(typed.log)
    const words = yield* kind === "program" ? programWords(typed) : NewSession.wordsFor(session, chosen(typed))
    const recorded = yield* RecordedFiles.open({ at: typed.moment, taskId: from.taskId })
    const isFromStart = kind === "program" && (yield* ForkedSession.repeatsCalls(session))
    const looks = isFromStart ? recorded.looks.slice(0, 1) : recorded.looks
    const tree = yield* RecordedContent.treeAfter(recorded, looks)
    const copies = yield* ForkDirectory.copiesFor(recorded.root, typed.copy, tree)
    if (typed.run || typed.words.length > 0) yield* NewSession.checkInstalled(words[0] ?? "", [tree, copies.tree])
    const places = yield* ForkDirectory.placesFor(Option.getOrUndefined(typed.into), recorded.root)
    return yield* Effect.gen(function* () {
      const directory = yield* ForkDirectory.write(places, tree, copies, recorded)
      const { lost, restored } = directory
      if (lost.length > 0 && !typed.partial)
        return yield* new NotAllRestored({
          directory: directory.directory,
          restored,
          left: lost,
          isAcceptable: true,
          isRemoved: true,
        })
      const written =
        kind === "program" ? undefined : yield* writeHandover(typed, session, places, recorded.root, directory)
      const { position: head } = yield* whole.head
      const filesAt = isFromStart ? (looks[0]?.event.position ?? from.at) : from.at
      const { root } = recorded
      const made: Made = { ...directory, root, filesAt, handover: places.handover, words, written, head }
      yield* record(typed.log, made, session)
      return { session, made }
    }).pipe(
      Effect.onError((cause) => {
        const failure = Option.getOrUndefined(Cause.failureOption(cause))
        // Somebody else's files have appeared there.
        return failure instanceof DirectoryUnfit ? Effect.void : Effect.sync(places.remove)
      }),
    )
  })

const chosen = ({ client, model, words }: Typed) => ({
  client: Option.getOrUndefined(client),
  model: Option.getOrUndefined(model),
  words,
})

const programWords = ({ words, prompt, model, client, run }: Typed) => {
  const [only] = [
    ...(Option.isSome(prompt) ? ["--prompt"] : []),
    ...(Option.isSome(model) ? ["--model"] : []),
    ...(Option.isSome(client) ? ["--client"] : []),
    ...(run ? ["--run"] : []),
  ]
  if (only !== undefined)
    return new BadInput({
      input: only,
      expected: "a coding agent's session",
      found: "a recorded program: name it after --",
    })
  return words.length > 0
    ? Effect.succeed(words)
    : new BadInput({
        input: "--",
        expected: "the recorded program after it, such as -- node agent.js",
        found: "nothing",
      })
}

const writeHandover = (
  typed: Typed,
  session: ForkedSession.ForkedSession,
  { handover }: ForkDirectory.Places,
  root: string,
  directory: ForkDirectory.ForkDirectory,
) =>
  Effect.gen(function* () {
    const entries = yield* ForkedSession.conversationOf(session)
    const written = Handover.write({
      from: session.from,
      agent: session.title,
      root,
      directory: directory.directory,
      entries,
      without: ForkLines.without(directory),
      prompt: Option.getOrUndefined(typed.prompt),
    })
    const text = Redaction.make().text(written.text)
    yield* Effect.try({
      try: () => fs.writeFileSync(handover, text, { mode: 0o600, flag: "wx" }),
      catch: (cause) =>
        new BadInput({
          input: handover,
          expected: "a file to write",
          found: cause instanceof Error ? cause.message : `${cause}`,
        }),
    })
    return { ...written, text }
  })

/** Records the fork, through which the new session finds its origin. */
const record = (
  log: Option.Option<string>,
  { directory, restored, omitted, lost }: Made,
  { from }: ForkedSession.ForkedSession,
) =>
  Effect.gen(function* () {
    const opened = yield* EventLog
    const taskId = ForkRecord.taskIdOf(directory, yield* ForkRecord.nextPart(opened, directory))
    const events = ForkRecord.events({ from, directory, restored, left: [...omitted, ...lost] })
    yield* opened.append({ stream: `task/${taskId}`, taskId, actor: userAsActor(), expected: NoStream, events })
  }).pipe(
    Effect.provide(OpenLog.orCreateForEvents(log, false)),
    Effect.catchAll(({ message }) =>
      Output.note(`warning: the fork is not recorded, so the new session will not name its origin: ${message}`),
    ),
  )

/** A new session of a coding agent: starts it, or says how. */
const handOver = (typed: Typed, session: ForkedSession.ForkedSession, made: Made) =>
  Effect.gen(function* () {
    const { json } = typed
    const { words, directory, handover, head } = made
    const command = NewSession.commandFor(words, directory, handover)
    const client = Option.getOrElse(typed.client, () => session.agent)
    const shown = { ...session, ...made, title: Clients.named(client)?.title ?? client, command }
    const isRun = typed.run || typed.words.length > 0
    if (!isRun) {
      yield* Output.show(json, documentOf(shown, null), (style) => ForkLines.printed(style, shown))
      // Not wrapped: people copy it.
      return json ? undefined : yield* Output.writeWhole(command)
    }
    if (!json) for (const line of ForkLines.made(Output.styleOf(process.stderr), shown)) yield* Output.note(line)
    const [program = "", ...others] = words
    const prompt = made.written?.text ?? ""
    const ended = yield* Program.start([program, ...others, prompt], {
      cwd: directory,
      ...(json ? { stdio: ["inherit", 2, "inherit"] } : {}),
    })
    const tasks = yield* NewSession.recordedSince(head, session.from).pipe(Effect.provide(OpenLog.forEvents(typed.log)))
    const exit = { code: ended.code, signal: ended.signal, tasks }
    yield* Output.show(json, documentOf(shown, exit), (style) => ForkLines.ended(style, { ...shown, tasks }))
    process.exitCode = Program.exitCodeOf(ended)
  })

const documentOf = (
  {
    from,
    agent,
    root,
    directory,
    filesAt,
    handover,
    restored,
    omitted,
    lost,
    missing,
    written,
    command,
  }: ForkLines.Shown,
  ran: object | null,
) => ({
  ...from,
  agent,
  root,
  directory,
  filesAt,
  restored,
  left: [...omitted, ...lost],
  missing,
  handover: { file: handover, leftOut: written?.leftOut ?? 0, cut: written?.cut ?? 0 },
  command,
  ran,
})

/** A recorded program runs again, and the log answers its requests up to the moment. */
const runProgram = (typed: Typed, session: ForkedSession.ForkedSession, made: Made) =>
  Effect.gen(function* () {
    for (const line of ForkLines.program(Output.styleOf(process.stderr), { ...session, ...made }))
      yield* Output.note(line)
    const log = Option.some(yield* OpenLog.fileOf(typed.log))
    const { moment: at, json, trustLog } = typed
    const task = Option.some(session.from.taskId)
    yield* ForkProgram.fork({
      ...{ log, json, at, task, trustLog, words: made.words, cwd: made.directory },
      ...{ timeline: Option.none(), set: [], allowHost: [] },
    })
  })
