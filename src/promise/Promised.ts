/**
 * Services of effects and streams as services of promises and async iterables, by one rule for all of them. The types
 * are mapped from those of the services: a function keeps its name, its parameters and its documentation.
 */

import { Effect, Option, Stream } from "effect"
import type { Signal } from "../plugins/author.ts"
import { findNonJson } from "../values/Json.ts"
import { InvalidOptions } from "../values/Options.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { iterable } from "./Iteration.ts"

/**
 * A service whose functions answer with promises instead of effects, and with async iterables instead of streams. An
 * effect becomes a function without arguments. Functions that answer with neither stay as they are.
 *
 * Every call takes a `signal`: in the options, where they are its last argument, else in one more argument,
 * `{ signal }`. Where an effect may have no answer (`Option`), the promise's is `undefined`.
 */
export type Promised<Service> = { readonly [Name in keyof Service]: PromisedMember<Service[Name]> }

type PromisedMember<Member> = [Member] extends [Effect.Effect<infer A, infer _E>]
  ? (call?: CallOptions) => Promise<Answer<A>>
  : Member extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
    ? (...args: Asked<Args>) => Promise<Answer<A>>
    : Member extends (...args: infer Args) => Stream.Stream<infer A, infer _E>
      ? (...args: Asked<Args>) => AsyncIterable<A>
      : Member

type Answer<A> = [A] extends [Option.Option<infer Some>] ? Some | undefined : A

/** The parameters of a call: the signal goes into the last one, if that is an object of options, or after it. */
type Asked<Args extends ReadonlyArray<unknown>> =
  IsOptions<Last<Args>> extends true
    ? { [Index in keyof Args]: Index extends LastIndex<Args> ? Asking<Args[Index]> : Args[Index] }
    : [...args: Args, call?: CallOptions]

type Last<Args extends ReadonlyArray<unknown>> =
  Required<Args> extends readonly [...ReadonlyArray<unknown>, infer Only] ? Only : never

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

type Telling<OnProgress> = OnProgress extends (...args: infer Args) => unknown
  ? (...args: Args) => void | PromiseLike<void>
  : never

/** Makes a service of effects and streams one of promises and async iterables. */
export const promised = <Service extends object>(service: Service, calls: Calls): Promised<Service> => {
  const members = Object.entries(service).map(([name, member]) => [name, promisedMember(name, member, calls)])
  // Each member is what its type is mapped to.
  return Object.fromEntries(members) as Promised<Service>
}

const promisedMember = (name: string, member: unknown, calls: Calls): unknown => {
  if (Effect.isEffect(member)) {
    return (...args: ReadonlyArray<unknown>) => answered(name, calls, args, () => member)
  }
  if (typeof member !== "function") return member
  return (...args: ReadonlyArray<unknown>) => answered(name, calls, args, (given) => member(...given))
}

const answered = (
  name: string,
  calls: Calls,
  args: ReadonlyArray<unknown>,
  ask: (given: ReadonlyArray<unknown>) => unknown,
): unknown => {
  try {
    const { given, signal } = takeSignal(name, args)
    const answer = ask(withEffects(given))
    if (Effect.isEffect(answer))
      return calls.run(Effect.map(answer as Effect.Effect<unknown, unknown>, someOrUndefined), signal)
    return isStream(answer) ? iterable(calls, answer, { signal }) : answer
  } catch (error) {
    return Promise.reject(error)
  }
}

const someOrUndefined = (answer: unknown): unknown => (Option.isOption(answer) ? Option.getOrUndefined(answer) : answer)

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> =>
  typeof value === "object" && value !== null && Stream.StreamTypeId in value

/** A call's arguments without its signal. */
interface Call<Args extends ReadonlyArray<unknown>> {
  readonly given: Args
  readonly signal: Signal | undefined
}

/**
 * Takes the signal out of the last argument. Without one, the arguments are as they were. Throws `InvalidOptions` for
 * what is neither a signal nor JSON, such as an `AbortController`; JSON named `signal` is an actuator's argument.
 */
export const takeSignal = <Args extends ReadonlyArray<unknown>>(of: string, args: Args): Call<Args> => {
  const last = args.at(-1)
  if (typeof last !== "object" || last === null || !Object.hasOwn(last, "signal"))
    return { given: args, signal: undefined }
  const { signal, ...others } = last as { readonly signal?: unknown }
  if (signal !== undefined && !isSignal(signal)) {
    const bad = findNonJson(signal)
    if (bad === undefined) return { given: args, signal: undefined }
    throw new InvalidOptions({ of, problems: [{ path: "signal", expected: "an AbortSignal", found: bad.found }] })
  }
  const given = Object.keys(others).length === 0 ? args.slice(0, -1) : [...args.slice(0, -1), others]
  // They are the same arguments, but for the signal.
  return { given: given as ReadonlyArray<unknown> as Args, signal }
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
