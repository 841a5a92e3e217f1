/** Formats the permissions that a plugin requests, was granted and lacks. */
import type { GrantedPermissions, MissingGrant, Origin } from "../../../events/vocabulary/Plugins.ts"
import { actuatorRisks } from "../../../kernel/gate/PluginRisk.ts"
import { type GrantStatus, grantCommand } from "../../../kernel/registry/Registry.ts"
import type * as Grants from "../../../plugins/manifest/Grants.ts"
import { type EffectiveRisk, inWords } from "../../../plugins/manifest/Risk.ts"
import type { Plugin } from "../../../projections/state/PluginRegistry.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { quoteWord } from "../../../values/ShellWord.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"

export const table = (
  style: Style,
  requested: Grants.RequestedPermissions,
  granted: Grants.Grants,
): ReadonlyArray<string> => {
  const rows = FIELDS.flatMap((field) => {
    const has = field === "run" && granted.runAny ? ["any command", ...granted.run] : granted[field]
    if (requested[field].length + has.length === 0) return []
    return [[`  ${field}`, list(requested[field]), has.length === 0 ? style.dim("nothing") : list(has)]]
  })
  if (rows.length === 0) return [`  ${style.dim("asks for no permission")}`]
  return Table.lines(style, ["  permission", "asks for", "granted"], rows)
}

const FIELDS = ["read", "write", "net", "env", "run"] as const

const list = (names: ReadonlyArray<string>): string => names.map(oneLine).join(", ")

/** Grants in words: `read /etc; run git, npm; any command`. */
export const words = ({ runAny, ...lists }: GrantedPermissions): string =>
  [
    ...FIELDS.flatMap((field) => {
      const names = lists[field] ?? []
      return names.length === 0 ? [] : [`${field} ${list(names)}`]
    }),
    ...(runAny === true ? ["any command"] : []),
  ].join("; ")

export const origin = (of: Origin): string => {
  switch (of.kind) {
    case "directory":
      return `the directory ${oneLine(of.path)}`
    case "archive":
      return `the archive ${oneLine(of.path)} (SHA-256 ${of.sha256.slice(0, 12)})`
    case "git": {
      const below = of.directory === undefined ? "" : `, directory ${oneLine(of.directory)}`
      return `the Git repository ${oneLine(of.url)}, ${oneLine(of.ref)} (commit ${of.commit.slice(0, 12)})${below}`
    }
    case "in-process":
      return "the embedding program, in whose process it runs; no sandbox confines it"
  }
}

/** One line for each actuator whose effective risk exceeds the declared one, with the reason. */
export const raised = (style: Style, risks: Iterable<readonly [string, EffectiveRisk]>): ReadonlyArray<string> =>
  [...risks].flatMap(([name, risk]) =>
    risk.because.length === 0 ? [] : [style.warn(`  risk of ${oneLine(name)}: ${oneLine(inWords(risk))}`)],
  )

/** The missing permissions, one line each, and the command that grants them. */
export const missing = (style: Style, plugin: string, refusals: ReadonlyArray<MissingGrant>): ReadonlyArray<string> => [
  ...refusals.map(({ field, asked, reason }) => `  lacks ${field} ${oneLine(asked)}: ${oneLine(reason)}`),
  `  ${style.name(oneLine(CommandHints.shellCommand(command(plugin, refusals))))}`,
]

export const command = grantCommand

export const document = (
  plugin: string,
  { grants, missing, updated, held }: GrantStatus,
  after: Plugin | undefined,
) => ({
  plugin,
  version: after?.version ?? null,
  active: after?.active ?? false,
  granted: grants,
  missing,
  updated: updated ?? null,
  held: held ?? null,
})

export const lines = (
  style: Style,
  plugin: string,
  { grants, missing: lacking, updated, held }: GrantStatus,
  after: Plugin | undefined,
): ReadonlyArray<string> => {
  const { runAny, run, ...others } = grants
  const rows = Object.entries({ ...others, run: runAny ? ["any command", ...run] : run })
  const inactive = lacking.length === 0 && after?.active === false
  return [
    `${style.name(plugin)} ${oneLine(after?.version ?? "")} may now:`,
    ...Table.rows(
      style,
      rows.map(([field, names]) => [`  ${field}`, names.length === 0 ? style.dim("nothing") : list(names)]),
    ),
    ...(after === undefined ? [] : raised(style, actuatorRisks(after))),
    ...(updated === undefined ? [] : [style.good(`The update to ${oneLine(updated.version)} is installed.`)]),
    ...(lacking.length === 0
      ? []
      : [
          style.warn("It is inactive until it has the permissions that it asks for:"),
          ...missing(style, plugin, lacking),
        ]),
    ...(inactive
      ? [
          style.warn(
            CommandHints.inText(`It is inactive; \`hindcast plugin activate ${quoteWord(plugin)}\` activates it.`),
          ),
        ]
      : []),
    ...(held === undefined
      ? []
      : [style.warn(`Its update ${oneLine(held.version)} still waits:`), ...missing(style, plugin, held.missing)]),
  ]
}
