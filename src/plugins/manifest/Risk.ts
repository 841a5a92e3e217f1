import type { Grants } from "./Grants.ts"
import type { Risk } from "./Manifest.ts"

/** A risk as gate rules name it: what a manifest declares, or that it declares nothing. */
export type Level = Risk | "undeclared"

/**
 * From the least risk to the most. What declares nothing stands above what can do bounded harm: nobody has said that it is
 * no worse. It stands below what is known to be high, so that rules about high risk hold for it too where grants raise it.
 */
export const LEVELS: ReadonlyArray<Level> = ["none", "low", "medium", "undeclared", "high", "irreversible"]

/** The risk of a component, as the gate rules on it. */
export interface EffectiveRisk {
  /** What the manifest says. */
  readonly declared: Level
  /** The highest of what the manifest says and of what the plugin was granted. */
  readonly effective: Level
  /** Where that is more than declared, the grants that make it so, in words: `its plugin may write /work`. */
  readonly because: ReadonlyArray<string>
}

/**
 * What a grant makes of every component of its plugin, whatever the manifest declares: a plugin is one process, and the host
 * cannot tell which of its components asks. Reading, and variables of the environment, raise nothing.
 */
const RAISES: ReadonlyArray<{
  readonly to: Level
  readonly granted: (grants: Grants) => boolean
  readonly words: (grants: Grants) => string
}> = [
  { to: "high", granted: ({ runAny }) => runAny, words: () => "run any command" },
  { to: "high", granted: ({ run }) => run.length > 0, words: ({ run }) => `run ${run.join(", ")}` },
  { to: "medium", granted: ({ write }) => write.length > 0, words: ({ write }) => `write ${write.join(", ")}` },
  { to: "medium", granted: ({ net }) => net.length > 0, words: ({ net }) => `reach ${net.join(", ")}` },
]

/** The effective risk of a component. Pure. */
export const effective = (declared: Risk | undefined, grants: Grants): EffectiveRisk => {
  const said: Level = declared ?? "undeclared"
  const raised = RAISES.filter(({ to, granted }) => isAbove(to, said) && granted(grants))
  const highest = raised.reduce((level, { to }) => (isAbove(to, level) ? to : level), said)
  const because = raised.filter(({ to }) => to === highest).map(({ words }) => `its plugin may ${words(grants)}`)
  return { declared: said, effective: highest, because }
}

/** Whether a level is more risk than another. */
export const isAbove = (level: Level, other: Level): boolean => LEVELS.indexOf(level) > LEVELS.indexOf(other)

/** An effective risk in words: `low`, or `none → high: its plugin may run git`. */
export const inWords = ({ declared, effective, because }: EffectiveRisk): string =>
  because.length === 0 ? effective : `${declared} → ${effective}: ${because.join("; ")}`
