import { Either, Schema } from "effect"
import { Risk } from "../../plugins/manifest/Manifest.ts"
import * as Options from "../../values/Options.ts"
import { Pattern } from "./GatePattern.ts"

/**
 * What a gate rule says about the commands it matches. `allow`: execute; `deny`: refuse; `confirm`: ask a person, and refuse
 * without an answer.
 */
export const Decision = Schema.Literal("allow", "deny", "confirm")

export type Decision = typeof Decision.Type

/** What a rule can say of an actuator's risk. */
const RuledRisk = Schema.Union(Risk, Schema.Literal("undeclared")).annotations({
  description: '"none", "low", "medium", "undeclared", "high" or "irreversible"',
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A gate rule. It matches a command where everything that it names fits; one that names nothing matches every command. */
export const GateRule = Schema.Struct({
  /** What the log calls it. No two rules have the same. */
  name: Options.Name,
  /** Full names of actuators, with `*` for any run of characters: `workspace/*`. */
  actuator: optional(Pattern),
  /** Effective risks, see `plugins/Risk`; `undeclared` where the manifest declares none and no grant makes it more. */
  risk: optional(
    Schema.Array(RuledRisk).pipe(
      Schema.minItems(1),
      Schema.annotations({ description: "a list of at least one risk" }),
    ),
  ),
  decision: Decision,
  reason: optional(Options.Text),
  /** How long this rule's confirmations wait for a person, in milliseconds. Default: as the gate says. */
  confirmWithinMs: optional(Options.Milliseconds),
}).annotations({
  identifier: "GateRule",
  description: "a gate rule: an object",
  // A rule whose `actuator` was computed and came to nothing would match every command.
  ...Options.KEEPS_UNDEFINED,
})

export type GateRule = typeof GateRule.Type

/** What a plugin asks of the host, in the words of rules: to run a command, to read or write a file, to fetch from a host. */
const RequestKind = Schema.Literal("run", "read", "write", "fetch")

/** A rule about requests of plugins to the host. It matches a request where everything that it names fits. */
export const RequestRule = Schema.Struct({
  name: Options.Name,
  /** What is asked for. Default: anything. */
  request: optional(
    Schema.Array(RequestKind).pipe(
      Schema.minItems(1),
      Schema.annotations({ description: 'a list of "run", "read", "write" and "fetch"' }),
    ),
  ),
  /** The command as it is called, the real path, or the host (with its port where it is not the scheme's), `*` for any run of characters. */
  target: optional(Options.Text),
  /** During a call of which component, `plugin/component`, with `*` for any run of characters: `workspace/*`. */
  component: optional(Pattern),
  decision: Decision,
  reason: optional(Options.Text),
  /** How long this rule's confirmations wait for a person, in milliseconds. Default: as the gate says. */
  confirmWithinMs: optional(Options.Milliseconds),
}).annotations({
  identifier: "RequestRule",
  description: "a rule about requests: an object",
  ...Options.KEEPS_UNDEFINED,
})

export type RequestRule = typeof RequestRule.Type

/** How a gate decides about requests that are granted: the first rule that matches, else the default. */
export const RequestConfig = Schema.Struct({
  rules: optional(
    Options.checking(
      Schema.Array(RequestRule).annotations({ description: "a list of rules about requests" }),
      (rules) => repeatedNames(rules, "gate.requests.rules"),
    ),
  ),
  /** Default: `deny`. */
  default: optional(Decision),
}).annotations({ identifier: "RequestConfig", description: "an object with rules or default" })

export type RequestConfig = typeof RequestConfig.Type

/** How a gate decides: the first rule that matches, else the default. */
export const GateConfig = Schema.Struct({
  rules: optional(
    Options.checking(Schema.Array(GateRule).annotations({ description: "a list of gate rules" }), (rules) =>
      repeatedNames(rules),
    ),
  ),
  /** Default: `deny`, so that a gate without a word is closed. */
  default: optional(Decision),
  /** How long a confirmation waits for a person, in milliseconds. Default: five minutes. */
  confirmWithinMs: optional(Options.Milliseconds),
  /** About what plugins ask of the host, sensors too. Default: what a plugin was granted is done. */
  requests: optional(RequestConfig),
}).annotations({
  identifier: "GateConfig",
  description: "an object with rules, default, confirmWithinMs or requests",
})

export type GateConfig = typeof GateConfig.Type

/** Configurations that were decoded: nothing can change them any more. */
const decoded = new WeakSet<object>()

/**
 * Decodes a gate's configuration, from a program or a file. The answer is a copy that cannot be changed.
 *
 * @param of whose it is, for messages
 */
export const decode = (value: unknown, of = "the gate"): Either.Either<GateConfig, Options.InvalidOptions> => {
  if (typeof value === "object" && value !== null && decoded.has(value)) return Either.right(value)
  return Either.map(Options.decode(of, GateConfig, value, ["gate"]), (config) => {
    const frozen = sealed({
      ...config,
      ...(config.rules === undefined ? {} : { rules: Object.freeze(config.rules.map(frozenRule)) }),
      ...(config.requests === undefined ? {} : { requests: frozenRequests(config.requests) }),
    })
    decoded.add(frozen)
    return frozen
  })
}

/** A copy that cannot be changed, and that inherits nothing: what it does not say, no prototype says in its place. */
const sealed = <A extends object>(value: A): A => Object.freeze(Object.assign(Object.create(null), value))

const frozenRule = (rule: GateRule): GateRule =>
  sealed({ ...rule, ...(rule.risk === undefined ? {} : { risk: Object.freeze([...rule.risk]) }) })

const frozenRequests = ({ rules, ...requests }: RequestConfig): RequestConfig =>
  sealed({ ...requests, ...(rules === undefined ? {} : { rules: Object.freeze(rules.map(frozenRequestRule)) }) })

const frozenRequestRule = (rule: RequestRule): RequestRule =>
  sealed({ ...rule, ...(rule.request === undefined ? {} : { request: Object.freeze([...rule.request]) }) })

/** What a configuration says that is probably not meant, one sentence each: rules that can never match. */
export const warnings = ({ rules = [] }: GateConfig): ReadonlyArray<string> =>
  rules.flatMap((rule, index) => {
    const before = rules.slice(0, index).findIndex((earlier) => covers(earlier, rule))
    const earlier = rules[before]
    return earlier === undefined
      ? []
      : [
          `gate.rules[${index}] ("${rule.name}") never decides: gate.rules[${before}] ("${earlier.name}") comes first, and matches all that it matches`,
        ]
  })

/** Whether an earlier rule matches whatever a later one does, as far as that shows without knowing any actuator. */
const covers = (earlier: GateRule, later: GateRule): boolean =>
  (earlier.actuator === undefined || earlier.actuator === "*" || earlier.actuator === later.actuator) &&
  (earlier.risk === undefined || (later.risk?.every((risk) => earlier.risk?.includes(risk)) ?? false))

/** Rules with a name that an earlier one has: the log could not tell which of them decided. */
const repeatedNames = (rules: unknown, path = "gate.rules"): ReadonlyArray<Options.Found> => {
  const names = Array.isArray(rules) ? rules.map(nameOf) : []
  return names.flatMap((name, index) => {
    const first = names.indexOf(name)
    if (name === undefined || first === index) return []
    const found = `${JSON.stringify(name)}, which ${path}[${first}] has already`
    return [{ keys: [index, "name"], expected: "each rule to have a name of its own", found }]
  })
}

const nameOf = (rule: unknown): string | undefined => {
  const name: unknown = typeof rule === "object" && rule !== null && "name" in rule ? rule.name : undefined
  return typeof name === "string" ? name : undefined
}
