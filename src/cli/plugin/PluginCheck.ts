/**
 * The command `hindcast plugin check`: reports the problems of a plugin without importing it, and runs the conformance
 * checks of a world.
 */
import type { Option } from "effect"
import { Data, Effect } from "effect"
import { validatePlugin } from "../../kernel/registry/PluginValidation.ts"
import { type CheckedPlugin, Registry } from "../../kernel/registry/Registry.ts"
import type { ImportOptions } from "../../kernel/registry/RegistryOptions.ts"
import { ManifestInvalid, type ManifestIssue } from "../../plugins/manifest/Manifest.ts"
import * as ShippedPlugins from "../../plugins/ShippedPlugins.ts"
import { checking } from "../../worlds/testing/checkWorld.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as PluginPage from "../pages/plugins/PluginPage.ts"
import * as WorldPage from "../pages/plugins/WorldPage.ts"

export interface CheckInput {
  readonly source: string
  readonly json: boolean
  readonly workspace: Option.Option<string>
  readonly options: ImportOptions
  readonly run: boolean
  /** `flags` consents to running it where only Deno's permissions confine it. */
  readonly sandbox: "auto" | "flags"
}

export class DirectoryNeeded extends Data.TaggedError("DirectoryNeeded")<{ readonly source: string }> {
  override get message() {
    return `--run: expected a plugin's directory, found ${this.source}. Unpack it, and name its directory`
  }
}

export class WorldDoesNotConform extends Data.TaggedError("WorldDoesNotConform")<{
  readonly world: string
  readonly failed: ReadonlyArray<string>
}> {
  override get message() {
    const count = this.failed.length === 1 ? "1 check" : `${this.failed.length} checks`
    return `The world ${this.world} fails ${count}:${this.failed.map((line) => `\n  ${line}`).join("")}`
  }
}

/**
 * Checks a plugin. For a directory, reports all problems at once with line and column; for other sources, fails with
 * the first problem. A valid plugin is shown as an import would show it.
 */
export const check = ({ source, json, workspace, options, run, sandbox }: CheckInput) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const directory = ShippedPlugins.directoryOf(source)
    if (directory === undefined) {
      if (run) return yield* new DirectoryNeeded({ source })
      return yield* show(json, yield* registry.check(source, options))
    }
    const { file, problems, plugin } = yield* validatePlugin(registry, directory, {
      ...options,
      workspace: yield* OpenLog.workspaceOf(workspace),
    })
    if (plugin !== undefined)
      return yield* run
        ? running(json, plugin, directory, { lenient: options.lenient ?? false, consents: sandbox === "flags" })
        : show(json, plugin)
    if (json) yield* Output.show(json, { file, problems: problems.map(withoutNesting) }, () => [])
    return yield* new ManifestInvalid({ file, issues: problems })
  })

const running = (
  json: boolean,
  plugin: CheckedPlugin,
  directory: string,
  { lenient, consents }: { readonly lenient: boolean; readonly consents: boolean },
) =>
  Effect.gen(function* () {
    const report = yield* checking(directory, { lenient, ...(consents ? { consent: "flags" } : {}) }, HOW_TO_CONSENT)
    yield* Output.show(json, { ...PluginPage.described(plugin), problems: [], world: report }, (style) => [
      ...PluginPage.checked(style, plugin),
      ...WorldPage.lines(style, report),
    ])
    if (report.conforms) return
    const failed = report.findings.flatMap((finding) =>
      finding.status === "failed" ? [`${finding.number} ${finding.name}: ${finding.why}`] : [],
    )
    return yield* new WorldDoesNotConform({ world: report.world, failed })
  })

const HOW_TO_CONSENT = "If you wrote it or trust it, run it with `--sandbox flags`."

const show = (json: boolean, plugin: Parameters<typeof PluginPage.described>[0]) =>
  Output.show(json, { ...PluginPage.described(plugin), problems: [] }, (style) => PluginPage.checked(style, plugin))

const withoutNesting = ({ place, ...issue }: ManifestIssue) => ({ ...issue, line: place?.line, column: place?.column })
