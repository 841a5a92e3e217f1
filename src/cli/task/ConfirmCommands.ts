/**
 * The commands `hindcast confirm …`: show the commands that wait for a person's approval, and approve or reject them.
 */
import { Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { Lease } from "../../events/log/Lease.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { Confirmations, digestOf, NotPending } from "../../kernel/gate/Confirmations.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import { userName } from "../../platform/user/Machine.ts"
import type { PendingConfirmation } from "../../projections/state/PendingConfirmations.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, flag, json, optionalText } from "../command/CommonOptions.ts"
import * as HooksLog from "../command/HooksLog.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as CommandOrigin from "../pages/events/CommandOrigin.ts"
import * as ConfirmationPage from "../pages/events/ConfirmationPage.ts"
import * as Question from "../terminal/Question.ts"
import type { Style } from "../terminal/Style.ts"
import { at } from "../terminal/Text.ts"
import * as Prompter from "./Prompter.ts"

/** The approval was recorded, but no kernel works on the log, so nothing executes the command. */
export class NoKernel extends Data.TaggedError("NoKernel")<{
  readonly confirmationId: string
  readonly position: number
}> {
  override get message() {
    return `Confirmation ${this.confirmationId}: the approval is recorded at @${this.position}, but no kernel is at work on this log, so nothing is executed yet. It takes effect once its task is resumed (\`hindcast resume --help\`), if the question has not expired by then.`
  }
}

const width = () => Output.columnsOf(process.stdout)

const common = { log: HooksLog.log, json }

export const ls = Command.make("ls", common, ({ log, json }) =>
  Effect.gen(function* () {
    const pending = yield* (yield* Confirmations).pending
    const confirmations = Object.entries(pending).map(([id, confirmation]) => ({ id, ...confirmation }))
    const origins = yield* Effect.forEach(confirmations, ({ taskId }) => CommandOrigin.describe(taskId))
    const awaited = yield* areAwaited(confirmations.map(({ taskId }) => taskId))
    yield* Output.show(json, { confirmations }, (style) =>
      confirmations.length === 0
        ? ["Nothing is waiting for a person.", ...HooksLog.hint().map((line) => CommandHints.inText(line))]
        : [
            ...confirmations.flatMap(({ id, ...waiting }, index) => [
              ...ConfirmationPage.heading(style, id, waiting, origins[index] ?? "", { width: width() }),
              ...ConfirmationPage.summary(style, waiting.shown, { width: width() }, showCommand(id)),
            ]),
            ...(awaited ? [] : [style.warn(NO_KERNEL_WARNING)]),
          ],
    )
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("List the commands and host requests that wait for a person"))

const NO_KERNEL_WARNING =
  "No kernel is at work on this log: nothing that you approve now is executed, except what a recorded program waits for."

/**
 * Whether each of these tasks has somebody waiting for the answer: a kernel on the log, or the recorded program itself.
 */
const areAwaited = (taskIds: ReadonlyArray<string | null>) =>
  Effect.gen(function* () {
    if ((yield* (yield* Lease).holder) !== undefined) return true
    return (yield* Effect.forEach([...new Set(taskIds)], isRecordedNow)).every((one) => one)
  })

/**
 * How long to watch for the heartbeat of a recorder whose process cannot be checked, in milliseconds. It sends one each
 * second.
 */
const WATCH_MS = 5000

const isRecordedNow = (taskId: string | null) =>
  Effect.gen(function* () {
    if (taskId === null) return false
    const [opened] = yield* (yield* EventLog).readPage({ stream: `task/${taskId}`, types: ["TaskOpened"] }, 1)
    const recorder = opened !== undefined && is(opened, "TaskOpened") ? opened.payload.recorder : undefined
    return recorder !== undefined && (yield* Recorders.watch(recorder, WATCH_MS))
  })

const showCommand = (id: string) => CommandHints.shellCommand(CommandHints.written("confirm", "show", id))

const confirmation = argument(
  "confirmation",
  "Its id, or at least four characters of its beginning or end, if they are unique",
)

interface PendingEntry {
  readonly id: string
  readonly waiting: PendingConfirmation
  readonly digest: string
  readonly origin: string
}

/** Finds the confirmation that a text refers to. `found` is undefined if it is not pending. */
const findPending = (named: string) =>
  Effect.gen(function* () {
    const id = yield* Ids.confirmation(named)
    const waiting = SafeRecord.get(yield* (yield* Confirmations).pending, id)
    if (waiting === undefined) return { id, found: undefined }
    const origin = yield* CommandOrigin.describe(waiting.taskId)
    return { id, found: { id, waiting, digest: digestOf(id, waiting), origin } }
  })

const pageOf = (style: Style, { id, waiting, digest, origin }: PendingEntry, limit?: number) => {
  const fitting = { width: width(), ...defined({ limit }) }
  const { lines, hidden } = ConfirmationPage.page(style, waiting.shown, fitting)
  const below = ConfirmationPage.unseen(style, hidden, `${showCommand(id)} --all`)
  const page = [
    ...ConfirmationPage.heading(style, id, waiting, origin, fitting),
    ...lines,
    ...below,
    `  ${style.dim(`digest ${digest}`)}`,
  ]
  return { page, hidden }
}

const all = flag("all", "Show it in full, even if it is very long")

export const show = Command.make("show", { ...common, confirmation, all }, ({ log, json, confirmation, all }) =>
  Effect.gen(function* () {
    const { id, found } = yield* findPending(confirmation)
    if (found === undefined) return yield* failNotPending(id)
    const { waiting, digest } = found
    yield* Output.show(
      json,
      { id, ...waiting, digest },
      (style) => pageOf(style, found, all ? Number.POSITIVE_INFINITY : undefined).page,
    )
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("Show a confirmation exactly as the person who approves it sees it"))

/** Fails with `NotPending`, which says how the confirmation ended if it ever existed. */
const failNotPending = (id: string) =>
  Effect.flatMap(Confirmations, (confirmations) => confirmations.ended(id)).pipe(
    Effect.flatMap((found) => new NotPending({ confirmationId: id, found })),
  )

const reason = optionalText("reason", "The reason, for the log")

const answer = (id: string, approved: boolean, reason: Option.Option<string>, shownDigest?: string) =>
  Effect.flatMap(Confirmations, (confirmations) =>
    confirmations.decide(id, {
      approved,
      by: userName(),
      channel: "cli",
      ...defined({ shownDigest }),
      ...(Option.isNone(reason) ? {} : { reason: reason.value }),
    }),
  )

const approveOptions = {
  yes: flag("yes", "Print the confirmation, and approve it without asking at the terminal"),
  digest: optionalText(
    "digest",
    "Approve only if the confirmation's digest, which `confirm show` prints, is or begins with this",
  ),
  unseen: flag("unseen", "Approve it without seeing the rest, if it is too long to show completely"),
}

export const approve = Command.make("approve", { ...common, confirmation, reason, ...approveOptions }, (typed) =>
  Effect.gen(function* () {
    const { json, confirmation, reason } = typed
    const { id, found } = yield* findPending(confirmation)
    if (found === undefined) return yield* failNotPending(id)
    const { waiting, digest } = found
    if (Option.isSome(typed.digest)) yield* checkDigest(typed.digest.value, digest)
    const { page, hidden } = pageOf(Output.styleOf(process.stdout), found)
    const isKnown = typed.unseen || Option.isSome(typed.digest)
    const isGiven = typed.yes || Option.isSome(typed.digest)
    if (hidden > 0 && !isKnown && typed.yes) {
      const advice = `\`hindcast confirm show ${quoteWord(id)} --all\` shows it; then approve it with --digest, or with --unseen.`
      const expected = "--digest or --unseen, because it was not shown completely"
      return yield* new BadInput({ input: "confirm approve", expected, found: `${hidden} characters unseen`, advice })
    }
    if (!json) yield* Effect.forEach(page, Output.write, { discard: true })
    const agrees = yield* Question.agrees({
      command: "hindcast confirm approve",
      options: ["--yes", "--digest"],
      given: isGiven,
      json,
      about: `\`hindcast confirm show ${quoteWord(id)}\` shows what waits, and its digest.`,
      ask: Prompter.agrees(isKnown ? 0 : hidden),
    })
    if (!agrees) return yield* Output.write("Nothing was approved: it is still waiting.")
    const { position } = yield* answer(id, true, reason, digest)
    const running = yield* areAwaited([waiting.taskId])
    const document = { confirmationId: id, approved: true, position, digest, shown: waiting.shown, running }
    yield* Output.show(json, document, (style) => [`${style.good("Approved")} ${id} ${style.dim(at(position))}`])
    if (!running) return yield* new NoKernel({ confirmationId: id, position })
  }).pipe(Effect.provide(OpenLog.forWriting(typed.log))),
).pipe(
  Command.withDescription(
    "Approve a waiting command or host request, and let it run. The terminal shows it and asks you; without a terminal, give --yes or --digest",
  ),
)

/** Minimum length of an abbreviated digest. A shorter one could match another confirmation. */
const MIN_DIGEST_LENGTH = 12

const checkDigest = (named: string, digest: string) =>
  new RegExp(`^[0-9a-f]{${MIN_DIGEST_LENGTH},64}$`).test(named) && digest.startsWith(named)
    ? Effect.void
    : new BadInput({
        input: "--digest",
        expected: `${digest}, or its first ${MIN_DIGEST_LENGTH} digits or more`,
        found: named,
        advice: "Nothing was approved: `hindcast confirm ls` lists what waits.",
      })

export const reject = Command.make(
  "reject",
  { ...common, confirmation, reason },
  ({ log, json, confirmation, reason }) =>
    Effect.gen(function* () {
      const id = yield* Ids.confirmation(confirmation)
      const { position } = yield* answer(id, false, reason)
      yield* Output.show(json, { confirmationId: id, approved: false, position }, (style) => [
        `${style.bad("Rejected")} ${id} ${style.dim(at(position))}`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Refuse a waiting command or host request"))
