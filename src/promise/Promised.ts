/**
 * Derives services of promises and async iterables from services of effects and streams. Mapped types keep each
 * function's name, parameters and documentation.
 */

import { Effect, Option, Stream } from "effect"
import type { Signal } from "../plugins/author.ts"
import { findNonJson } from "../values/Json.ts"
import { InvalidOptions } from "../values/Options.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { type IterationOptions, iterable } from "./Iteration.ts"

/**
 * A service with promises for effects and async iterables for streams. An effect becomes a function without arguments;
 * other members stay. `Option` results become a value or `undefined`.
 *
 * Every call takes a `signal`: in its options if they are the last argument, otherwise in one more argument,
 * `{ signal }`.
 */
export type Promised<Service> = { readonly [Name in keyof Service]: PromisedMember<Service[Name]> }

/** Effects become promises, streams async iterables; other members stay. */
type PromisedMember<Member> = [Member] extends [Effect.Effect<infer A, infer _E>]
  ? (call?: CallOptions) => Promise<Answer<A>>
  : Member extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
    ? (...args: Asked<Args>) => Promise<Answer<A>>
    : Member extends (...args: infer Args) => Stream.Stream<infer A, infer _E>
      ? (...args: Asked<Args>) => AsyncIterable<A>
      : Member

/** Turns an `Option` into a value or `undefined`. */
type Answer<A> = [A] extends [Option.Option<infer Some>] ? Some | undefined : A

/** Adds the signal to the last parameter if that is an object of options, otherwise one more parameter. */
type Asked<Args extends ReadonlyArray<unknown>> =
  IsOptions<Last<Args>> extends true
    ? { [Index in keyof Args]: Index extends LastIndex<Args> ? Asking<Args[Index]> : Args[Index] }
    : [...args: Args, call?: CallOptions]

/** The last parameter of a call. */
type Last<Args extends ReadonlyArray<unknown>> =
  Required<Args> extends readonly [...ReadonlyArray<unknown>, infer Only] ? Only : never

/** The index of the last parameter, as a key. */
type LastIndex<Args extends ReadonlyArray<unknown>> =
  Required<Args> extends readonly [unknown, ...infer Others] ? `${Others["length"]}` : never

/** True for an object of known keys. */
type IsOptions<Parameter> = [Parameter] extends [never]
  ? false
  : [Parameter] extends [ReadonlyArray<unknown> | ((...args: never) => unknown)]
    ? false
    : [Parameter] extends [object]
      ? string extends keyof Parameter
        ? false
        : true
      : false

/** Options of a call and its signal. `onProgress` may return a promise, which the call awaits. */
export type Asking<Options> = Options extends { readonly onProgress?: infer OnProgress }
  ? "onProgress" extends keyof Options
    ? Omit<Options, "onProgress"> & { readonly onProgress?: Telling<OnProgress> } & CallOptions
    : Options & CallOptions
  : Options & CallOptions

/** A callback of progress that may return a promise. */
type Telling<OnProgress> = OnProgress extends (...args: infer Args) => unknown
  ? (...args: Args) => void | PromiseLike<void>
  : never

/** Converts a service. `iteration` applies to all of its streams. */
export const promised = <Service extends object>(
  service: Service,
  calls: Calls,
  iteration: Pick<IterationOptions, "endsAtClose"> = {},
): Promised<Service> => {
  const members = Object.entries(service).map(([name, member]) => [
    name,
    promisedMember(name, member, calls, iteration),
  ])
  // Each member has the type that its own type maps to.
  return Object.fromEntries(members) as Promised<Service>
}

const promisedMember = (name: string, member: unknown, calls: Calls, iteration: IterationOptions): unknown => {
  const asked =
    (ask: (given: ReadonlyArray<unknown>) => unknown) =>
    (...args: ReadonlyArray<unknown>) => {
      const { given, signal, invalid } = takeSignal(name, args)
      const answer = answerOf(() => ask(withEffects(given)))
      if (Effect.isEffect(answer)) {
        const effect = Effect.map(answer as Effect.Effect<unknown, unknown>, someOrUndefined)
        return calls.run(invalid ?? effect, signal)
      }
      return isStream(answer) ? iterable(calls, invalid ?? answer, { ...iteration, signal }) : answer
    }
  if (Effect.isEffect(member)) return asked(() => member)
  return typeof member === "function" ? asked((given) => member(...given)) : member
}

/** A function may throw for arguments that no type allows; that is a defect. */
const answerOf = (ask: () => unknown): unknown => {
  try {
    return ask()
  } catch (error) {
    return Effect.die(error)
  }
}

const someOrUndefined = (answer: unknown): unknown => (Option.isOption(answer) ? Option.getOrUndefined(answer) : answer)

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> =>
  typeof value === "object" && value !== null && Stream.StreamTypeId in value

/** A call's arguments without its signal. */
interface Call<Args extends ReadonlyArray<unknown>> {
  readonly given: Args
  readonly signal?: Signal | undefined
  /** The argument `signal` was no AbortSignal. */
  readonly invalid?: InvalidOptions
}

/**
 * Takes the signal out of the last argument. A `signal` that is JSON is an argument of an actuator; any other value,
 * such as an `AbortController`, is a mistake.
 */
export const takeSignal = <Args extends ReadonlyArray<unknown>>(of: string, args: Args): Call<Args> => {
  const last = args.at(-1)
  if (typeof last !== "object" || last === null || !Object.hasOwn(last, "signal")) return { given: args }
  const { signal, ...others } = last as { readonly signal?: unknown }
  // The same arguments without the signal.
  const given = [...args.slice(0, -1), ...(Object.keys(others).length === 0 ? [] : [others])] as unknown as Args
  if (signal === undefined || isSignal(signal)) return { given, signal }
  const bad = findNonJson(signal)
  if (bad === undefined) return { given: args }
  const problem = { path: "signal", expected: "an AbortSignal", found: bad.found }
  return { given, invalid: new InvalidOptions({ of, problems: [problem] }) }
}

const isSignal = (value: unknown): value is Signal =>
  typeof value === "object" &&
  value !== null &&
  "aborted" in value &&
  typeof value.aborted === "boolean" &&
  "addEventListener" in value &&
  typeof value.addEventListener === "function"

/** Turns a program's `onProgress`, which may return a promise, into one that returns an effect. */
const withEffects = (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const last = args.at(-1)
  if (typeof last !== "object" || last === null || !("onProgress" in last)) return args
  const { onProgress: tell } = last
  if (typeof tell !== "function") return args
  const onProgress = (...progress: ReadonlyArray<unknown>) => Effect.promise(async () => tell(...progress))
  return [...args.slice(0, -1), { ...last, onProgress }]
}
