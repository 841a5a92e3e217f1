/** A method of `hindcast serve`: its name, its parameters and its answer. */
import { Effect, Option, Schema, type Stream } from "effect"
import * as Options from "../../values/Options.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as Cursors from "./Cursors.ts"
import type { Past } from "./Logs.ts"
import type { Session } from "./Session.ts"

export interface Method {
  readonly name: string
  /** Decodes the parameters, and answers. */
  readonly run: (params: unknown, session: Session) => Effect.Effect<unknown, unknown>
}

/** A method of the whole session. `params` rejects fields that it does not know. */
export const make = <A, I, E>(
  name: string,
  params: Schema.Schema<A, I>,
  run: (params: A, session: Session) => Effect.Effect<unknown, E>,
): Method => ({
  name,
  run: (given, session) => Effect.flatMap(Options.decode(name, params, given), (decoded) => run(decoded, session)),
})

interface OfLog {
  /** The number that `log.open` returned. */
  readonly log: number
  /** Default: main. */
  readonly timeline?: string
}

/** A question about an opened log. `params` leaves out `log` and `timeline`, which every question takes. */
export const question = <Required extends Schema.Struct.Fields, E>(
  name: string,
  params: Required,
  ask: (params: Schema.Struct.Type<Required>) => Effect.Effect<unknown, E, Past>,
): Method =>
  make(name, withLog(params), (given, session) =>
    onLog(session, given, ask(ownOf<Schema.Struct.Type<Required>>(given))),
  )

/** A question whose answer is a stream: its first items, and a cursor for more (`cursor.next`). */
export const listing = <Required extends Schema.Struct.Fields, A, E, E2>(
  name: string,
  params: Required,
  ask: (params: Schema.Struct.Type<Required>) => Effect.Effect<Stream.Stream<A, E, Past>, E2, Past>,
): Method =>
  make(name, withLog(params), (given, session) =>
    onLog(
      session,
      given,
      Effect.flatMap(ask(ownOf<Schema.Struct.Type<Required>>(given)), (items) => Cursors.open(session.cursors, items)),
    ),
  )

const withLog = <Required extends Schema.Struct.Fields>(params: Required) =>
  Schema.Struct({ log: Schema.Number, timeline: optional(Schema.String), ...params }) as unknown as Schema.Schema<
    Schema.Struct.Type<Required> & OfLog
  >

/** The parameters of the question itself. */
const ownOf = <Own>(given: OfLog & Own): Own => {
  const { log: _, timeline: __, ...own } = given
  return own as unknown as Own
}

const onLog = <A, E>(session: Session, { log, timeline }: OfLog, asked: Effect.Effect<A, E, Past>) =>
  Effect.flatMap(session.logs.find(log), ({ past }) =>
    asked.pipe(TimelineOption.provide(Option.fromNullable(timeline)), Effect.provide(past)),
  )

/** No parameters. */
export const NOTHING = Schema.Struct({}).pipe(
  Schema.filter((given) => Object.keys(given).length === 0, { description: "no parameters" }),
)

/** A parameter that may be absent. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
