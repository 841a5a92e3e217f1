/** The command `hindcast plugin check`: reports the problems of a plugin without importing it. */
import * as fs from "node:fs"
import type { Option } from "effect"
import { Effect } from "effect"
import { validatePlugin } from "../../kernel/registry/PluginValidation.ts"
import { Registry } from "../../kernel/registry/Registry.ts"
import type { ImportOptions } from "../../kernel/registry/RegistryOptions.ts"
import { ManifestInvalid, type ManifestIssue } from "../../plugins/manifest/Manifest.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as PluginPage from "../pages/plugins/PluginPage.ts"

/** The input of `plugin check`. */
export interface CheckInput {
  /** A plugin's directory, or any other source of a plugin. */
  readonly source: string
  readonly json: boolean
  readonly workspace: Option.Option<string>
  readonly options: ImportOptions
}

/**
 * Checks a plugin. For a directory, reports all problems at once, each with line and column. For any other source,
 * fails with the first problem. Without problems, shows what an import would show.
 */
export const check = ({ source, json, workspace, options }: CheckInput) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    if (fs.statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) {
      return yield* show(json, yield* registry.check(source, options))
    }
    const { file, problems, plugin } = yield* validatePlugin(registry, source, {
      ...options,
      workspace: yield* OpenLog.workspaceOf(workspace),
    })
    if (plugin !== undefined) return yield* show(json, plugin)
    if (json) yield* Output.show(json, { file, problems: problems.map(withoutNesting) }, () => [])
    return yield* new ManifestInvalid({ file, issues: problems })
  })

const show = (json: boolean, plugin: Parameters<typeof PluginPage.described>[0]) =>
  Output.show(json, { ...PluginPage.described(plugin), problems: [] }, (style) => PluginPage.checked(style, plugin))

const withoutNesting = ({ place, ...issue }: ManifestIssue) => ({ ...issue, line: place?.line, column: place?.column })
