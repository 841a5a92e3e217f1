/**
 * Services of effects and streams as services of promises and async iterables, by one rule for all of them. The types
 * are mapped from those of the services: a function keeps its name, its parameters and its documentation.
 */

import { Effect, Option, Stream } from "effect"
import type { Signal } from "../plugins/author.ts"
import { findNonJson } from "../values/Json.ts"
import { InvalidOptions } from "../values/Options.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { type IterationOptions, iterable } from "./Iteration.ts"

/**
 * A service whose functions answer with promises instead of effects, and with async iterables instead of streams. An
 * effect becomes a function without arguments. Functions that answer with neither stay as they are.
 *
 * Every call takes a `signal`: in the options, where they are its last argument, else in one more argument,
 * `{ signal }`. Where an effect may have no answer (`Option`), the promise's is `undefined`.
 */
export type Promised<Service> = { readonly [Name in keyof Service]: PromisedMember<Service[Name]> }

/** A member of a service: Effects become promises, streams become async iterables, all else stays. */
type PromisedMember<Member> = [Member] extends [Effect.Effect<infer A, infer _E>]
  ? (call?: CallOptions) => Promise<Answer<A>>
  : Member extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
    ? (...args: Asked<Args>) => Promise<Answer<A>>
    : Member extends (...args: infer Args) => Stream.Stream<infer A, infer _E>
      ? (...args: Asked<Args>) => AsyncIterable<A>
      : Member

/** What a promise is resolved with: an optional value is undefined where there is none. */
type Answer<A> = [A] extends [Option.Option<infer Some>] ? Some | undefined : A

/** The parameters of a call: the signal goes into the last one, if that is an object of options, or after it. */
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

/** Whether a parameter is an object of known keys. */
type IsOptions<Parameter> = [Parameter] extends [never]
  ? false
  : [Parameter] extends [ReadonlyArray<unknown> | ((...args: never) => unknown)]
    ? false
    : [Parameter] extends [object]
      ? string extends keyof Parameter
        ? false
        : true
      : false

/** Options of a call, with its signal. What is told of its progress may answer with a promise, which is waited for. */
export type Asking<Options> = Options extends { readonly onProgress?: infer OnProgress }
  ? "onProgress" extends keyof Options
    ? Omit<Options, "onProgress"> & { readonly onProgress?: Telling<OnProgress> } & CallOptions
    : Options & CallOptions
  : Options & CallOptions

/** A callback of progress that may answer with a promise. */
type Telling<OnProgress> = OnProgress extends (...args: infer Args) => unknown
  ? (...args: Args) => void | PromiseLike<void>
  : never

/** Makes a service of effects and streams one of promises and async iterables. `iteration` is of all of its streams. */
export const promised = <Service extends object>(
  service: Service,
  calls: Calls,
  iteration: Pick<IterationOptions, "endsAtClose"> = {},
): Promised<Service> => {
  const members = Object.entries(service).map(([name, member]) => [
    name,
    promisedMember(name, member, calls, iteration),
  ])
  // Each member is what its type is mapped to.
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

/** What a function answers. If it throws, as one may for arguments that no type lets pass, that is a defect. */
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
  /** What was given as a signal is none. */
  readonly invalid?: InvalidOptions
}

/**
 * Takes the signal out of the last argument. Without one, the arguments are as they were. What is neither a signal nor
 * JSON, such as an `AbortController`, is a mistake; JSON named `signal` is an actuator's argument.
 */
export const takeSignal = <Args extends ReadonlyArray<unknown>>(of: string, args: Args): Call<Args> => {
  const last = args.at(-1)
  if (typeof last !== "object" || last === null || !Object.hasOwn(last, "signal")) return { given: args }
  const { signal, ...others } = last as { readonly signal?: unknown }
  // They are the same arguments, but for the signal.
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

/** Arguments with effects where a program answers with promises: in `onProgress`. */
const withEffects = (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const last = args.at(-1)
  if (typeof last !== "object" || last === null || !("onProgress" in last)) return args
  const { onProgress: tell } = last
  if (typeof tell !== "function") return args
  const onProgress = (...progress: ReadonlyArray<unknown>) => Effect.promise(async () => tell(...progress))
  return [...args.slice(0, -1), { ...last, onProgress }]
}
