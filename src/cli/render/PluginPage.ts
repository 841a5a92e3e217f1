import type { CheckedPlugin } from "../../kernel/Registry.ts"
import * as Grants from "../../plugins/Grants.ts"
import type { Manifest } from "../../plugins/Manifest.ts"
import type { Plugin } from "../../projections/PluginRegistry.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import { at, count, oneLine, shorten, signed, value } from "./Text.ts"

/** A plugin that was checked or imported, as a document. */
export const described = ({ manifest, digest, warnings, grants }: CheckedPlugin) => ({
  name: manifest.name,
  version: manifest.version,
  description: manifest.description,
  digest,
  warnings,
  asked: Grants.asked(manifest),
  granted: grants,
})

/** A plugin that was checked or imported: what it declares, asks for and was granted. */
export const checked = (style: Style, { manifest, digest, warnings, grants }: CheckedPlugin): ReadonlyArray<string> => {
  const { read, write, net, env, run } = Grants.asked(manifest)
  return [
    `${style.name(manifest.name)} ${oneLine(manifest.version)} ${style.dim(digest.slice(0, 12))}: ${oneLine(manifest.description)}`,
    `  ${declared(manifest)}`,
    ...granted(style, [
      ["read", read, grants.read],
      ["write", write, grants.write],
      ["net", net, grants.net],
      ["env", env, grants.env],
      ["run", run, grants.runAny ? ["any command"] : grants.run],
    ]),
    ...warnings.map((warning) => style.warn(`warning: ${oneLine(warning)}`)),
  ]
}

const declared = ({ peas }: Manifest): string =>
  [
    count(peas.sensors?.length ?? 0, "sensor"),
    count(peas.actuators?.length ?? 0, "actuator"),
    count(peas.performance.length, "measure"),
    peas.environment === undefined ? "no environment" : `environment "${oneLine(peas.environment.name)}"`,
  ].join(", ")

type Permission = readonly [field: string, asked: ReadonlyArray<string>, granted: ReadonlyArray<string>]

const granted = (style: Style, permissions: ReadonlyArray<Permission>): ReadonlyArray<string> => {
  const wanted = permissions.filter(([, asked, granted]) => asked.length + granted.length > 0)
  if (wanted.length === 0) return [`  ${style.dim("asks for no permission")}`]
  return wanted.map(
    ([field, asked, granted]) =>
      `  ${style.dim(field.padEnd(5))}  asked ${asked.join(", ")}; granted ${granted.join(", ") || style.dim("nothing")}`,
  )
}

/** A registered plugin in a list, as a document. */
export const listed = (name: string, { version, digest, source, active, quarantined, components }: Plugin) => ({
  name,
  version,
  digest,
  source,
  active,
  quarantined,
  components: Object.entries(components).map(([component, { kind, active, priority }]) => ({
    name: `${name}/${component}`,
    kind,
    active,
    priority,
  })),
})

/** All registered plugins and their components. */
export const list = (style: Style, plugins: ReadonlyArray<readonly [string, Plugin]>): ReadonlyArray<string> => {
  if (plugins.length === 0) return ["No plugin is imported. `hindcast plugin add DIR` imports one."]
  const rows = plugins.flatMap(([name, plugin]) => [
    [style.name(name), `plugin ${oneLine(plugin.version)}`, status(style, plugin), ""],
    ...componentRows(style, name, plugin),
  ])
  return Table.lines(
    style,
    [{ heading: "name" }, { heading: "kind" }, { heading: "takes part" }, { heading: "priority", align: "right" }],
    rows,
  )
}

const componentRows = (style: Style, name: string, { components }: Plugin) =>
  Object.entries(components)
    .sort(([, a], [, b]) => (a.kind < b.kind ? 1 : a.kind > b.kind ? -1 : b.priority - a.priority))
    .map(([component, { kind, active, priority }]) => [
      `  ${name}/${oneLine(component)}`,
      kind,
      active ? "yes" : style.warn("no"),
      signed(priority),
    ])

const status = (style: Style, { active, quarantined }: Plugin): string => {
  if (quarantined !== null) return style.bad(`quarantined: ${shorten(oneLine(quarantined), 60)}`)
  return active ? "yes" : style.warn("no")
}

/** One registered plugin, whole. */
export const show = (style: Style, manifest: Manifest, plugin: Plugin): ReadonlyArray<string> => [
  `${style.name(manifest.name)} ${oneLine(plugin.version)} ${style.dim(plugin.digest)}`,
  `  ${oneLine(manifest.description)}`,
  `  ${declared(manifest)}`,
  `  takes part: ${status(style, plugin)}`,
  `  imported at ${at(plugin.importedAt)} from ${oneLine(plugin.source)}`,
  `  granted ${value(plugin.grants, 400)}`,
  `  metadata ${value(plugin.metadata, 400)}`,
  ...Object.entries(plugin.running).map(([instance, { pid }]) => `  runs for ${instance} as process ${pid}`),
  "",
  ...Table.lines(
    style,
    [
      { heading: "component" },
      { heading: "kind" },
      { heading: "takes part" },
      { heading: "priority", align: "right" },
      { heading: "description" },
    ],
    componentRows(style, manifest.name, plugin).map((row) => [
      ...row,
      oneLine(describe(manifest, row[0]?.trim() ?? "")),
    ]),
  ),
  ...(manifest.peas.performance.length === 0
    ? []
    : [
        "",
        ...Table.lines(
          style,
          [{ heading: "measure" }, { heading: "description" }],
          manifest.peas.performance.map(({ name, description }) => [oneLine(name), oneLine(description)]),
        ),
      ]),
]

const describe = ({ name: plugin, peas }: Manifest, component: string): string =>
  [...(peas.sensors ?? []), ...(peas.actuators ?? [])].find(({ name }) => `${plugin}/${name}` === component)
    ?.description ?? ""
