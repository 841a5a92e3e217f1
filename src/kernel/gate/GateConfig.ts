/** The gate's configuration: rules, decoding, and warnings about rules that never decide. */

import { Either, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { Risk } from "../../plugins/manifest/fields.ts"
import * as Options from "../../values/Options.ts"
import { Pattern } from "./GatePattern.ts"

/** A rule's decision. `allow`: execute; `deny`: refuse; `confirm`: ask a person, and refuse without an approval. */
export const Decision = Schema.Literal("allow", "deny", "confirm")

export type Decision = typeof Decision.Type

const RuledRisk = Schema.Union(Risk, Schema.Literal("undeclared")).annotations({
  description: '"none", "low", "medium", "undeclared", "high" or "irreversible"',
})

/** A gate rule. It matches a command if every field matches; a rule without such fields matches every command. */
export const GateRule = Schema.Struct({
  /** Names the rule in the log; unique within the gate. */
  name: Options.Name,
  /** A pattern of full names of actuators; `*` stands for any characters: `workspace/*`. */
  actuator: optional(Pattern),
  /** Effective risks (see `plugins/manifest/Risk`). `undeclared`: the manifest declares none and no grant raises it. */
  risk: optional(
    Schema.Array(RuledRisk).pipe(
      Schema.minItems(1),
      Schema.annotations({ description: "a list of at least one risk" }),
    ),
  ),
  /** Patterns of text arguments, by name; `*` stands for any characters: `{ file_path: "/etc/*" }`. */
  args: optional(
    Schema.Record({ key: Schema.String, value: Options.Text }).annotations({
      description: "an object with a pattern for each argument",
    }),
  ),
  /**
   * Patterns of shell commands; `*` stands for any characters: `npm test*`. The gate compares them with each command in
   * the line of the argument `command`. A rule that allows needs every command to fit, and a line that hides nothing
   * (`ShellLine.isWhole`). A rule that denies or asks matches if one command fits, or if the line hides something.
   */
  shell: optional(
    Schema.Array(Options.Text).pipe(
      Schema.minItems(1),
      Schema.annotations({ description: "a list of at least one pattern of shell commands, such as git status*" }),
    ),
  ),
  decision: Decision,
  reason: optional(Options.Text),
  /** How long this rule's confirmations wait for a person, in milliseconds. Default: the gate's `confirmWithinMs`. */
  confirmWithinMs: optional(Options.Milliseconds),
}).annotations({
  identifier: "GateRule",
  description: "a gate rule: an object",
  // Otherwise a rule whose computed `actuator` is undefined would match every command.
  ...Options.KEEPS_UNDEFINED,
})

export type GateRule = typeof GateRule.Type

const RequestKind = Schema.Literal("run", "read", "write", "fetch")

/** A rule about host requests of plugins. It matches a request if every field matches. */
export const RequestRule = Schema.Struct({
  name: Options.Name,
  request: optional(
    Schema.Array(RequestKind).pipe(
      Schema.minItems(1),
      Schema.annotations({ description: 'a list of "run", "read", "write" and "fetch"' }),
    ),
  ),
  /**
   * The command as it is called, the real path, or the host (with its port unless it is the scheme's default); `*`
   * stands for any characters.
   */
  target: optional(Options.Text),
  /** The called component, `plugin/component`; `*` stands for any characters: `workspace/*`. */
  component: optional(Pattern),
  decision: Decision,
  reason: optional(Options.Text),
  /** How long this rule's confirmations wait for a person, in milliseconds. Default: the gate's `confirmWithinMs`. */
  confirmWithinMs: optional(Options.Milliseconds),
}).annotations({
  identifier: "RequestRule",
  description: "a rule about requests: an object",
  ...Options.KEEPS_UNDEFINED,
})

export type RequestRule = typeof RequestRule.Type

/** Rules about granted host requests: the first that matches decides, otherwise the default. */
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

/** The configuration of a gate: the first rule that matches decides, otherwise the default. */
export const GateConfig = Schema.Struct({
  rules: optional(
    Options.checking(Schema.Array(GateRule).annotations({ description: "a list of gate rules" }), (rules) =>
      repeatedNames(rules),
    ),
  ),
  /** Default: `deny`, so that an empty gate is closed. */
  default: optional(Decision),
  /** How long a confirmation waits for a person, in milliseconds. Default: five minutes. */
  confirmWithinMs: optional(Options.Milliseconds),
  /** Rules about host requests of plugins, including those of sensors. Default: granted requests are allowed. */
  requests: optional(RequestConfig),
}).annotations({
  identifier: "GateConfig",
  description: "an object with rules, default, confirmWithinMs or requests",
})

export type GateConfig = typeof GateConfig.Type

const decoded = new WeakSet<object>()

/**
 * Decodes a gate's configuration from a program or a file. Returns a frozen copy.
 *
 * @param of the configuration's name in messages
 */
export const decode = (value: unknown, of = "the gate"): Either.Either<GateConfig, Options.InvalidOptions> => {
  if (typeof value === "object" && value !== null && decoded.has(value)) return Either.right(value)
  return Either.map(Options.decode(of, GateConfig, value, ["gate"]), (config) => {
    const frozen = frozenCopy({
      ...config,
      ...(config.rules === undefined ? {} : { rules: Object.freeze(config.rules.map(frozenRule)) }),
      ...(config.requests === undefined ? {} : { requests: frozenRequests(config.requests) }),
    })
    decoded.add(frozen)
    return frozen
  })
}

/** Without a prototype, so that no field is inherited. */
const frozenCopy = <A extends object>(value: A): A => Object.freeze(Object.assign(Object.create(null), value))

const frozenRule = ({ risk, args, shell, ...rule }: GateRule): GateRule =>
  frozenCopy({
    ...rule,
    ...(risk === undefined ? {} : { risk: Object.freeze([...risk]) }),
    ...(args === undefined ? {} : { args: frozenCopy(args) }),
    ...(shell === undefined ? {} : { shell: Object.freeze([...shell]) }),
  })

const frozenRequests = ({ rules, ...requests }: RequestConfig): RequestConfig =>
  frozenCopy({ ...requests, ...(rules === undefined ? {} : { rules: Object.freeze(rules.map(frozenRequestRule)) }) })

const frozenRequestRule = (rule: RequestRule): RequestRule =>
  frozenCopy({ ...rule, ...(rule.request === undefined ? {} : { request: Object.freeze([...rule.request]) }) })

/** Warns about rules that can never decide, one sentence each. */
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

/** Whether an earlier rule matches everything that a later one does, as far as the rules alone show. */
const covers = (earlier: GateRule, later: GateRule): boolean =>
  earlier.args === undefined &&
  earlier.shell === undefined &&
  (earlier.actuator === undefined || earlier.actuator === "*" || earlier.actuator === later.actuator) &&
  (earlier.risk === undefined || (later.risk?.every((risk) => earlier.risk?.includes(risk)) ?? false))

/** The log identifies a rule by its name, so names must not repeat. */
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
