/**
 * Chooses this machine's sandbox tier and layer: tries layers from the strongest to the weakest, and says why stronger
 * ones are unavailable.
 */
import { Data, Effect, Either, Schema } from "effect"
import { librariesOf } from "./Libraries.ts"
import { LAYERS, type Layer, type Tier, tierOf } from "./layers/Layer.ts"
import type { AvailableLayer } from "./Sandbox.ts"
import type { Tools } from "./Tools.ts"
import { testLayer } from "./Trial.ts"

export { type Layer, type Tier, tierOf } from "./layers/Layer.ts"

/** A required tier; `auto` is the strongest that the machine has. */
export const WantedTier = Schema.Literal("auto", "namespaces", "flags")

export type WantedTier = typeof WantedTier.Type

/** The tier and layer in effect. */
export interface ChosenTier {
  readonly tier: Tier
  readonly layer: Layer
  /** Shared libraries that Deno needs on a plugin's disk. */
  readonly libraries: ReadonlyArray<string>
  /** The reason for the choice: a sentence. */
  readonly why: string
  /** How to get a stronger confinement, if there is a way. */
  readonly improve?: string
}

/** Install the missing programs, or require another tier: this machine lacks this one. */
export class SandboxUnavailable extends Data.TaggedError("SandboxUnavailable")<{
  readonly wanted: Tier
  readonly found: string
  readonly remedy: string
}> {
  override get message() {
    return `The sandbox tier ${this.wanted} is not available: ${this.found}. ${this.remedy}`
  }
}

/** Why a layer is unavailable, and the remedy. */
export interface LayerUnavailable {
  readonly found: string
  readonly remedy: string
}

/**
 * Chooses the strongest layer of the wanted tier, and never falls back to a weaker tier. Many containers and some
 * distributions forbid a layer, so it tests each one by starting Deno in it.
 */
export const choose = (tools: Tools, wanted: WantedTier = "auto"): Effect.Effect<ChosenTier, SandboxUnavailable> =>
  Effect.gen(function* () {
    const refusals: Array<LayerUnavailable & { readonly layer: Layer }> = []
    for (const layer of LAYERS) {
      if (wanted !== "auto" && tierOf(layer) !== wanted) continue
      const found = yield* probe(tools, layer)
      if (Either.isRight(found)) return chosen(found.right, tools, wanted, refusals)
      refusals.push({ ...found.left, layer })
    }
    const found = refusals.map((refusal) => refusal.found).join("; ")
    return yield* new SandboxUnavailable({
      wanted: wanted === "auto" ? "flags" : wanted,
      found,
      remedy: remedies(refusals),
    })
  }).pipe(Effect.flatMap((found) => assertLimits(found, tools, wanted)))

/** Whether this machine has a layer, independent of its other layers. */
export const probe = (tools: Tools, layer: Layer): Effect.Effect<Either.Either<AvailableLayer, LayerUnavailable>> =>
  Effect.gen(function* () {
    const missing = missingFor(tools, layer)
    if (missing !== undefined) return Either.left(missing)
    const libraries = tierOf(layer) === "flags" ? [] : yield* librariesOf(programsOf(tools, layer))
    const confining = { tools, layer, libraries }
    if (layer === "none") return Either.right(confining)
    const failure = yield* testLayer(confining)
    if (failure === undefined) return Either.right(confining)
    return Either.left({ found: `${NAMES[layer]} does not work here (${failure})`, remedy: HOW_TO_ALLOW[layer] })
  })

const NAMES = {
  bubblewrap: "bubblewrap is installed but",
  unshare: "unshare is installed but",
  user: "a separate user",
}

/** Programs that start on a plugin's disk and need their libraries there. */
const programsOf = ({ deno, setpriv }: Tools, layer: Layer): ReadonlyArray<string> =>
  layer === "unshare" && setpriv !== undefined ? [deno, setpriv] : [deno]

/** Without them, a process on Linux has no limits and may outlive its host. */
const LIMIT_TOOLS = ["setpriv", "prlimit", "nice"] as const

const PACKAGES = {
  bwrap: "bubblewrap",
  unshare: "util-linux",
  mount: "mount",
  setpriv: "util-linux",
  prlimit: "util-linux",
  nice: "coreutils",
}

export const missingLimitTools = (tools: Tools): ReadonlyArray<(typeof LIMIT_TOOLS)[number]> =>
  process.platform === "linux" ? LIMIT_TOOLS.filter((name) => tools[name] === undefined) : []

/** By layer. */
const REQUIRED_TOOLS = {
  bubblewrap: ["bwrap", ...LIMIT_TOOLS],
  unshare: ["unshare", "mount", ...LIMIT_TOOLS],
  user: ["setpriv"],
  none: [],
} as const

const missingFor = (tools: Tools, layer: Layer): LayerUnavailable | undefined => {
  if (layer === "none") return undefined
  if (process.platform !== "linux") {
    return {
      found: `${layer === "user" ? "a separate user" : layer} needs Linux, and this is ${process.platform}`,
      remedy: "Run on Linux, or use `--sandbox flags`.",
    }
  }
  if (layer === "user" && process.getuid?.() !== 0) {
    return { found: "only root can run plugins as separate users", remedy: "" }
  }
  const missing = REQUIRED_TOOLS[layer].filter((name) => tools[name] === undefined)
  if (missing.length === 0) return undefined
  return { found: `${listWithVerb(missing)} not on the PATH`, remedy: install(missing) }
}

const listWithVerb = (names: ReadonlyArray<string>): string =>
  `${names.join(", ")} ${names.length === 1 ? "is" : "are"}`

const install = (missing: ReadonlyArray<keyof typeof PACKAGES>): string =>
  `Install ${missing.length === 1 ? "it" : "them"}: \`apt-get install ${[...new Set(missing.map((name) => PACKAGES[name]))].join(" ")}\`.`

const NAMESPACES =
  "in a container `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`), or use `--sandbox flags`."

/** How to allow a layer whose installed programs do not work. */
const HOW_TO_ALLOW = {
  bubblewrap: `Allow unprivileged user namespaces (\`sysctl kernel.unprivileged_userns_clone=1\`; on Ubuntu an AppArmor profile for bwrap; ${NAMESPACES}`,
  unshare: `Allow unprivileged user namespaces (\`sysctl user.max_user_namespaces\` above 0; on Ubuntu install bubblewrap with an AppArmor profile for it; ${NAMESPACES}`,
  user: "Give the kernel's process the capabilities CAP_SETUID, CAP_SETGID, CAP_SETPCAP and CAP_DAC_READ_SEARCH, or run it as a user that is not root.",
}

const chosen = (
  { layer, libraries }: AvailableLayer,
  tools: Tools,
  wanted: WantedTier,
  refusals: ReadonlyArray<LayerUnavailable & { readonly layer: Layer }>,
): ChosenTier => {
  const reasons = refusals.map(({ found }) => found)
  const asked = wanted === "flags" ? ["it was requested"] : []
  const worksHere = { bubblewrap: ["bubblewrap works on this machine"], unshare: ["unshare works on this machine"] }
  const why = [...(layer === "bubblewrap" || layer === "unshare" ? worksHere[layer] : asked), ...reasons]
  // Another layer of equal strength does not improve anything.
  const improve = tierOf(layer) === "namespaces" ? "" : remedies(refusals)
  const missing = missingLimitTools(tools)
  const missingLimits =
    missing.length === 0 ? [] : [`${listWithVerb(missing)} not on the PATH, so some limits do not apply`]
  const elsewhere = process.platform === "linux" ? [] : [`on ${process.platform}, only the heap is limited`]
  // Installing a stronger layer includes the limit tools.
  const limitTools = missing.length === 0 || improve.startsWith("Install") ? "" : install(missing)
  const steps = [limitTools, improve].filter((step) => step !== "").join(" ")
  return {
    tier: tierOf(layer),
    layer,
    libraries,
    why: [...why, ...missingLimits, ...elsewhere].join("; "),
    ...(steps === "" ? {} : { improve: steps }),
  }
}

/** The first remedy suffices; bubblewrap, which most machines can have, comes first. */
const remedies = (refusals: ReadonlyArray<LayerUnavailable>): string =>
  refusals.find(({ remedy }) => remedy !== "")?.remedy ?? ""

/** Fails if `flags` is required and some of its limits would not be enforced. */
const assertLimits = (
  found: ChosenTier,
  tools: Tools,
  wanted: WantedTier,
): Effect.Effect<ChosenTier, SandboxUnavailable> => {
  const missing = missingLimitTools(tools)
  if (wanted !== "flags" || missing.length === 0) return Effect.succeed(found)
  return new SandboxUnavailable({ wanted, found: `${listWithVerb(missing)} not on the PATH`, remedy: install(missing) })
}
