/**
 * The risk of a component for gate rules: the risk that its manifest declares, raised by what its plugin was granted.
 */
import type { Grants } from "./Grants.ts"
import type { Risk } from "./Manifest.ts"

/** A risk level in gate rules: a manifest's level, or `undeclared`. */
export type Level = Risk | "undeclared"

/**
 * The levels in ascending order. `undeclared` is above `medium`, because nobody has said that the harm is bounded. It
 * is below `high`, so that grants can still raise it to `high`, and rules about high risk then apply to it too.
 */
export const LEVELS: ReadonlyArray<Level> = ["none", "low", "medium", "undeclared", "high", "irreversible"]

/** The risk of a component, as gate rules see it. */
export interface EffectiveRisk {
  /** The level in the manifest. */
  readonly declared: Level
  /** The higher of the level in the manifest and the level that the plugin's grants imply. */
  readonly effective: Level
  /** If `effective` is above `declared`: the grants that raise it, in words, such as `its plugin may write /work`. */
  readonly because: ReadonlyArray<string>
}

/**
 * The levels that grants imply for every component of their plugin. They do not depend on the component, because a
 * plugin is one process and the host cannot tell which component makes a request. Reading and environment variables
 * raise nothing.
 */
const RAISED_BY_GRANTS: ReadonlyArray<{
  readonly to: Level
  readonly granted: (grants: Grants) => boolean
  readonly words: (grants: Grants) => string
}> = [
  { to: "high", granted: ({ runAny }) => runAny, words: () => "run any command" },
  { to: "high", granted: ({ run }) => run.length > 0, words: ({ run }) => `run ${run.join(", ")}` },
  { to: "medium", granted: ({ write }) => write.length > 0, words: ({ write }) => `write ${write.join(", ")}` },
  { to: "medium", granted: ({ net }) => net.length > 0, words: ({ net }) => `reach ${net.join(", ")}` },
]

/**
 * Computes the effective risk of a component. Pure. A tool of the embedding program has no grants, so that its declared
 * risk counts: the program is the operator.
 */
export const effective = (declared: Risk | undefined, grants: Grants): EffectiveRisk => {
  const declaredLevel: Level = declared ?? "undeclared"
  const raised = RAISED_BY_GRANTS.filter(({ to, granted }) => isAbove(to, declaredLevel) && granted(grants))
  const highest = raised.reduce((level, { to }) => (isAbove(to, level) ? to : level), declaredLevel)
  const because = raised.filter(({ to }) => to === highest).map(({ words }) => `its plugin may ${words(grants)}`)
  return { declared: declaredLevel, effective: highest, because }
}

/** Whether `level` is above `other`. */
export const isAbove = (level: Level, other: Level): boolean => LEVELS.indexOf(level) > LEVELS.indexOf(other)

/** Formats an effective risk: `low`, or `none → high: its plugin may run git`. */
export const inWords = ({ declared, effective, because }: EffectiveRisk): string =>
  because.length === 0 ? effective : `${declared} → ${effective}: ${because.join("; ")}`
