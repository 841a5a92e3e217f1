/** Formats checked plugins, the list of registered ones, and one registered plugin in detail. */
import { Schema } from "effect"
import type { MissingGrant } from "../../../events/vocabulary/Plugins.ts"
import { actuatorRisks } from "../../../kernel/gate/PluginRisk.ts"
import type { CheckedPlugin } from "../../../kernel/registry/Registry.ts"
import * as Grants from "../../../plugins/manifest/Grants.ts"
import { actuatorsOf, guidesOf, type Manifest } from "../../../plugins/manifest/Manifest.ts"
import * as Risk from "../../../plugins/manifest/Risk.ts"
import type { Plugin } from "../../../projections/state/PluginRegistry.ts"
import type { PluginVersion } from "../../../projections/state/PluginVersions.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, shorten, signed, time, value } from "../../terminal/Text.ts"
import * as GrantPage from "./GrantPage.ts"

export const described = ({ manifest, digest, warnings, grants }: CheckedPlugin) => ({
  name: manifest.name,
  version: manifest.version,
  description: manifest.description,
  digest,
  warnings,
  asked: Grants.requested(manifest),
  granted: grants,
})

export const checked = (style: Style, { manifest, digest, warnings, grants }: CheckedPlugin): ReadonlyArray<string> => {
  return [
    `${style.name(manifest.name)} ${oneLine(manifest.version)} ${style.dim(digest.slice(0, 12))}: ${oneLine(manifest.description)}`,
    `  ${declared(manifest)}`,
    ...GrantPage.table(style, Grants.requested(manifest), grants),
    ...GrantPage.raised(
      style,
      actuatorsOf(manifest).map(({ name, risk }) => [name, Risk.effective(risk, grants)] as const),
    ),
    ...warnings.map((warning) => style.warn(`warning: ${oneLine(warning)}`)),
  ]
}

const declared = ({ peas, guides, provider }: Manifest): string =>
  [
    count(peas.sensors?.length ?? 0, "sensor"),
    count(peas.actuators?.length ?? 0, "actuator"),
    count(peas.performance.length, "measure"),
    ...(guides === undefined ? [] : [count(guides.length, "guide")]),
    ...(provider === undefined ? [] : [count(provider.models.length, "model")]),
    peas.environment === undefined ? "no environment" : `environment "${oneLine(peas.environment.name)}"`,
  ].join(", ")

/** A registered plugin. An inactive one comes with the permissions that it lacks. */
export interface PluginStatus {
  readonly name: string
  readonly plugin: Plugin
  readonly missing: ReadonlyArray<MissingGrant>
}

export const listed = ({ name, plugin, missing }: PluginStatus) => {
  const { version, digest, source, origin, importedAt, active, quarantined, held, components } = plugin
  const risks = actuatorRisks(plugin)
  return {
    name,
    version,
    digest,
    source,
    origin,
    importedAt,
    active,
    quarantined,
    missing,
    held: held === null ? null : { version: held.version, digest: held.digest, missing: held.missing },
    components: Object.entries(components).map(([component, { kind, active, priority }]) => ({
      name: `${name}/${component}`,
      kind,
      active,
      priority,
      ...(risks.has(component) ? { risk: risks.get(component) } : {}),
    })),
  }
}

export const list = (style: Style, plugins: ReadonlyArray<PluginStatus>, isNow: boolean): ReadonlyArray<string> => {
  if (plugins.length === 0 && !isNow) return ["No plugin was imported by then."]
  if (plugins.length === 0)
    return [CommandHints.inText("No plugin is imported. `hindcast plugin add SOURCE` imports one.")]
  const rows = plugins.flatMap((of) => [
    [style.name(of.name), `plugin ${oneLine(of.plugin.version)}`, status(style, of), "", ""],
    ...componentRows(style, of.name, of.plugin),
  ])
  return [
    ...Table.lines(style, ["name", "kind", "active", ...Table.right("priority"), "risk"], rows),
    ...plugins.flatMap((of) => waitingNotes(style, of)),
  ]
}

const componentRows = (style: Style, name: string, plugin: Plugin) => {
  const risks = actuatorRisks(plugin)
  return Object.entries(plugin.components)
    .sort(([, a], [, b]) => (a.kind < b.kind ? 1 : a.kind > b.kind ? -1 : b.priority - a.priority))
    .map(([component, { kind, active, priority }]) => [
      `  ${name}/${oneLine(component)}`,
      kind,
      active ? "yes" : style.warn("no"),
      signed(priority),
      riskOf(style, risks.get(component)),
    ])
}

/** `low`, or `none → high` if the grants raise the declared risk. */
const riskOf = (style: Style, risk: Risk.EffectiveRisk | undefined): string => {
  if (risk === undefined) return ""
  const { declared, effective, because } = risk
  return because.length === 0 ? effective : style.warn(`${declared} → ${effective}`)
}

const status = (style: Style, { plugin: { active, quarantined }, missing }: PluginStatus): string => {
  if (quarantined !== null) return style.bad(`no (quarantined: ${shorten(oneLine(quarantined), 60)})`)
  return active ? "yes" : style.warn(missing.length > 0 ? "no (waits for a grant)" : "no (deactivated)")
}

export interface ShownPlugin extends PluginStatus {
  readonly manifest: Manifest
  readonly versions: ReadonlyArray<PluginVersion>
}

export const show = (style: Style, { manifest, plugin, versions, ...of }: ShownPlugin): ReadonlyArray<string> => [
  `${style.name(manifest.name)} ${oneLine(plugin.version)} ${style.dim(plugin.digest)}`,
  `  ${oneLine(manifest.description)}`,
  `  ${declared(manifest)}`,
  `  active: ${status(style, { ...of, plugin })}`,
  `  imported at ${at(plugin.importedAt)} from ${plugin.origin === null ? oneLine(plugin.source) : GrantPage.origin(plugin.origin)}`,
  `  metadata ${value(plugin.metadata, 400)}`,
  ...Object.entries(plugin.running).map(([pid, { instance }]) => `  runs for ${instance} as process ${pid}`),
  "",
  ...grantLines(style, manifest, plugin),
  ...GrantPage.raised(style, actuatorRisks(plugin)),
  ...waitingNotes(style, { ...of, plugin }),
  "",
  ...Table.lines(
    style,
    ["component", "kind", "active", ...Table.right("priority"), "risk", "description"],
    componentRows(style, manifest.name, plugin).map((row) => [
      ...row,
      oneLine(describe(manifest, row[0]?.trim() ?? "")),
    ]),
  ),
  ...(guidesOf(manifest).length === 0
    ? []
    : [
        "",
        ...Table.lines(
          style,
          ["guide", "description"],
          guidesOf(manifest).map(({ name, description }) => [
            `${manifest.name}/${oneLine(name)}`,
            oneLine(description),
          ]),
        ),
      ]),
  ...(manifest.provider === undefined
    ? []
    : [
        "",
        ...Table.lines(
          style,
          ["model", "description"],
          manifest.provider.models.map(({ name, description = "" }) => [
            `${manifest.name}/${oneLine(name)}`,
            oneLine(description),
          ]),
        ),
      ]),
  ...(manifest.peas.performance.length === 0
    ? []
    : [
        "",
        ...Table.lines(
          style,
          ["measure", "description"],
          manifest.peas.performance.map(({ name, description }) => [oneLine(name), oneLine(description)]),
        ),
      ]),
  "",
  ...versionTable(style, versions),
]

const grantLines = (style: Style, manifest: Manifest, { grants, given, revoked }: Plugin): ReadonlyArray<string> => [
  ...GrantPage.table(style, Grants.requested(manifest), Schema.is(Grants.Grants)(grants) ? grants : Grants.NO_GRANTS),
  ...(Object.keys(given).length === 0 ? [] : [`  by name, to this code or earlier code: ${GrantPage.words(given)}`]),
  ...(Object.keys(revoked).length === 0 ? [] : [style.warn(`  revoked: ${GrantPage.words(revoked)}`)]),
]

const waitingNotes = (style: Style, { name, plugin: { held }, missing }: PluginStatus): ReadonlyArray<string> => [
  ...(missing.length === 0
    ? []
    : [
        "",
        style.warn(`${name} is inactive until it has the permissions that it asks for:`),
        ...GrantPage.missing(style, name, missing),
      ]),
  ...(held === null
    ? []
    : [
        "",
        style.warn(`An update of ${name} to ${oneLine(held.version)} waits for its grant:`),
        ...GrantPage.missing(style, name, held.missing),
      ]),
]

const versionTable = (style: Style, versions: ReadonlyArray<PluginVersion>): ReadonlyArray<string> =>
  Table.lines(
    style,
    ["version", "digest", "imported", "status", "from"],
    versions.map(({ version, digest, at: position, recordedAt, status, source }) => [
      oneLine(version),
      digest.slice(0, 12),
      `${at(position)} ${time(recordedAt)}`,
      status === "held" ? style.warn("waits for its grant") : status,
      oneLine(source),
    ]),
  )

const describe = ({ name: plugin, peas }: Manifest, component: string): string =>
  [...(peas.sensors ?? []), ...(peas.actuators ?? [])].find(({ name }) => `${plugin}/${name}` === component)
    ?.description ?? ""
