/** The stage of the demos: the terminal, with the command line's own pages, or nothing with `--json`. */
import { Effect } from "effect"
import type { Stage, User } from "#demo"
import { EventLog } from "../../events/log/EventLog.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { userAsActor, userName } from "../command/CurrentUser.ts"
import * as Output from "../command/Output.ts"
import * as PackageFiles from "../command/PackageFiles.ts"
import { Tampered } from "../log/Tampered.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as ConfirmationPage from "../pages/events/ConfirmationPage.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as ScoreChange from "../pages/scores/ScoreChange.ts"
import * as AlignmentPage from "../pages/time/AlignmentPage.ts"
import * as PatchLines from "../pages/time/PatchLines.ts"
import * as CassetteOption from "../task/CassetteOption.ts"
import * as Prompter from "../task/Prompter.ts"
import type { Style } from "../terminal/Style.ts"
import * as StyleOf from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import * as Text from "../terminal/Text.ts"
import * as Width from "../terminal/Width.ts"

/** The word of the command that is the story's first kernel. */
export const FIRST_KERNEL = "demo-kernel"

/** Columns of the demo's text. */
const WIDTH = 100

/** A stage that writes to the standard output. */
export const onOutput = (): Stage => {
  const style = Output.styleOf(process.stdout)
  const say = (...lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
  return {
    ...lent(style),
    say,
    show: (lines) => say(...lines.map((line) => Width.cut(line, WIDTH))),
    part: (title, ...about) => say("", style.bold(title), ...about.map((line) => style.dim(line)), ""),
  }
}

/** A stage that prints nothing. */
export const silent = (): Stage => ({
  ...lent(StyleOf.plain),
  part: () => Effect.void,
  say: () => Effect.void,
  show: () => Effect.void,
})

const lent = (style: Style): Omit<Stage, "part" | "say" | "show"> => ({
  style,
  width: WIDTH,
  user: user(),
  pages: {
    value: Text.value,
    number: Text.number,
    shorten: Text.shorten,
    oneLine: Text.oneLine,
    summary: EventSummary.of,
    net: AuditPage.net,
    scoreChange: ScoreChange.of,
    withBefore: PatchLines.withBefore,
    table: (headings, cells) => Table.lines(style, headings, cells),
    rows: (cells) => Table.rows(style, cells, ["right"]),
    outcome: (of) => AuditPage.outcome(style, of),
    events: (events) => EventLine.lines(style, events),
    chain: (causes) => EventPage.chain(style, causes),
    question: (shown) => ConfirmationPage.page(style, shown, { width: Number.POSITIVE_INFINITY }).lines,
    changes: (of) => PatchLines.lines(style, of),
    alignment: (a, b, aligned, most) => AlignmentPage.lines(style, { a, b, ...aligned }, most),
  },
})

/** What belongs to the user of this program. */
export const user = (): User => ({
  actor: userAsActor(),
  owner: `hindcast demo of ${userName()}`,
  firstKernel: [CommandHints.main, FIRST_KERNEL],
  command: CommandHints.command,
  written: CommandHints.written,
  path: CommandHints.shortest,
  run: PackageFiles.run,
  ask: Prompter.ask,
  play: CassetteOption.play,
  verified: Effect.gen(function* () {
    const log = yield* EventLog
    const found = yield* log.verify
    if (found._tag !== "Tampered") return found
    const { position, reason } = found
    return yield* new Tampered({ log: log.name, position, reason })
  }),
})
