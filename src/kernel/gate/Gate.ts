/** The gate: pure decisions about commands and host requests, by configured rules. */

import { Either } from "effect"
import type { Level } from "../../plugins/manifest/Risk.ts"
import type { Json } from "../../values/Json.ts"
import * as ArgumentRules from "./ArgumentRules.ts"
import { type Decision, decode, type GateConfig, type GateRule } from "./GateConfig.ts"
import * as GatePattern from "./GatePattern.ts"

export { Decision, decode, GateConfig, GateRule, RequestConfig, RequestRule, warnings } from "./GateConfig.ts"

/** Default time that a confirmation waits, in milliseconds. */
export const CONFIRM_WITHIN_MS = 5 * 60 * 1000

/**
 * The default gate. Allows commands of little risk, because their sandbox confines them. Asks a person about all
 * others, including actuators without a declared risk and every actuator of a plugin that may write, run or reach
 * hosts.
 */
export const standard: GateConfig = {
  rules: [
    { name: "little-risk", risk: ["none", "low"], decision: "allow" },
    { name: "ask-a-person", decision: "confirm" },
  ],
  default: "deny",
}

/** The configuration as the log records it, with defaults filled in. */
export const recorded = ({ rules = [], default: otherwise = "deny", confirmWithinMs, requests }: GateConfig) => ({
  rules: rules.map((rule) => ({ ...rule })),
  default: otherwise,
  confirmWithinMs: confirmWithinMs ?? CONFIRM_WITHIN_MS,
  ...(requests === undefined
    ? {}
    : {
        requests: { rules: (requests.rules ?? []).map((rule) => ({ ...rule })), default: requests.default ?? "deny" },
      }),
})

/** A command as the gate sees it. */
export interface GateCommand {
  /** `plugin/actuator` */
  readonly actuator: string
  /** The effective risk: the declared one, or what the plugin's grants raise it to. */
  readonly risk: Level | undefined
  readonly because?: ReadonlyArray<string>
  /** Default: unknown. Then a rule about arguments applies if it denies or asks, and not if it allows. */
  readonly args?: Json | undefined
}

/** A granted host request as the gate sees it. */
export interface GateHostRequest {
  readonly kind: "run" | "read" | "write" | "fetch"
  readonly target: string
  /** `plugin/component`, or `plugin/` during the set-up of its environment. */
  readonly component: string
}

/** The gate's decision, the rule that made it, and the reason. */
export interface Ruling {
  readonly decision: Decision
  readonly rule: string
  readonly reason: string
  /** How long a confirmation waits for a person, in milliseconds. */
  readonly confirmWithinMs: number
}

/** The rule of a denial by an invalid gate. */
export const INVALID_GATE_RULE = "gate"

/**
 * Decides about a command. Pure: the same configuration and command always give the same ruling. Decodes an undecoded
 * configuration; the ruling of an invalid one is `deny`.
 */
export const decide = (config: GateConfig, candidate: GateCommand): Ruling =>
  Either.match(decode(config), {
    onLeft: ({ message }) => denyAll(message),
    onRight: (decoded) => decideBy(decoded, candidate),
  })

/**
 * Decides about a granted host request. Pure. Without `requests`, allows it, because a person gave the grant. With
 * `requests`, the first matching rule decides, otherwise their default (`deny` if absent).
 */
export const decideRequest = (config: GateConfig, candidate: GateHostRequest): Ruling =>
  Either.match(decode(config), {
    onLeft: ({ message }) => denyAll(message),
    onRight: (decoded) => decideRequestBy(decoded, candidate),
  })

const decideRequestBy = ({ requests, confirmWithinMs }: GateConfig, candidate: GateHostRequest): Ruling => {
  const { kind, target, component } = candidate
  const within = confirmWithinMs ?? CONFIRM_WITHIN_MS
  if (requests === undefined) {
    return {
      decision: "allow",
      rule: "grants",
      reason: "it was granted, and no rule is about requests",
      confirmWithinMs: within,
    }
  }
  const rule = requests.rules?.find(
    (rule) =>
      (rule.request === undefined || rule.request.includes(kind)) &&
      (rule.target === undefined || GatePattern.matches(rule.target, target)) &&
      (rule.component === undefined || GatePattern.matches(rule.component, component)),
  )
  if (rule === undefined) {
    const decision = requests.default ?? "deny"
    const reason = `no rule about requests matches ${kind} ${target} by ${component}; the default is ${decision}`
    return { decision, rule: "requests-default", reason, confirmWithinMs: within }
  }
  const reason = rule.reason ?? `the rule about requests "${rule.name}" says ${rule.decision} to ${kind} ${target}`
  return { decision: rule.decision, rule: rule.name, reason, confirmWithinMs: rule.confirmWithinMs ?? within }
}

/** The ruling of an invalid gate about everything. */
export const denyAll = (reason: string): Ruling => ({
  decision: "deny",
  rule: INVALID_GATE_RULE,
  reason,
  confirmWithinMs: CONFIRM_WITHIN_MS,
})

const decideBy = (config: GateConfig, candidate: GateCommand): Ruling => {
  const rule = config.rules?.find((rule) => matches(rule, candidate))
  const confirmWithinMs = rule?.confirmWithinMs ?? config.confirmWithinMs ?? CONFIRM_WITHIN_MS
  if (rule === undefined) {
    const decision = config.default ?? "deny"
    return {
      decision,
      rule: "default",
      reason: `no gate rule matches ${candidate.actuator}; the default is ${decision}`,
      confirmWithinMs,
    }
  }
  const reason =
    (rule.reason ?? `gate rule "${rule.name}" says ${rule.decision}`) +
    unseenNote(rule, candidate) +
    riskNote(candidate)
  return { decision: rule.decision, rule: rule.name, reason, confirmWithinMs }
}

const matches = (rule: GateRule, { actuator, risk, args }: GateCommand): boolean =>
  (rule.actuator === undefined || GatePattern.matches(rule.actuator, actuator)) &&
  (rule.risk === undefined || rule.risk.includes(risk ?? "undeclared")) &&
  isAbout(rule, args)

const isAbout = (rule: GateRule, args: Json | undefined): boolean => {
  const match = ArgumentRules.match(rule, args)
  return match === "fits" || (match === "cannot tell" && rule.decision !== "allow")
}

const unseenNote = (rule: GateRule, { args }: GateCommand): string =>
  ArgumentRules.match(rule, args) === "cannot tell" ? " (the gate cannot see what would be run)" : ""

const riskNote = ({ risk, because = [] }: GateCommand): string =>
  because.length === 0 ? "" : ` (its risk counts as ${risk ?? "undeclared"}: ${because.join("; ")})`
