/**
 * Imports point down the rooms, never up and never sideways:
 * cli → kernel → plugins, projections → events. The runner stands alone: it is another program's.
 */
const rooms = (from, to) => ({
  name: `${from}-not-to-${to.join("-or-")}`,
  severity: "error",
  from: { path: `^src/${from}/` },
  to: { path: `^src/(${to.join("|")})/` },
})

module.exports = {
  forbidden: [
    rooms("events", ["projections", "plugins", "kernel", "cli"]),
    rooms("projections", ["plugins", "kernel", "cli"]),
    rooms("plugins", ["projections", "kernel", "cli"]),
    rooms("kernel", ["cli"]),
    {
      name: "runner-stands-alone",
      severity: "error",
      from: { path: "^src/plugins/runner/" },
      to: { pathNot: "^src/plugins/author\\.ts$" },
    },
    {
      name: "author-types-import-nothing",
      severity: "error",
      from: { path: "^src/plugins/author\\.ts$" },
      to: { path: "." },
    },
    {
      name: "sqlite-stays-inside",
      comment: "No SQLite type leaks out of events/sqlite.",
      severity: "error",
      from: { pathNot: "^src/events/sqlite/" },
      to: { path: "@effect/sql|better-sqlite3" },
    },
    {
      name: "entry-is-for-the-outside",
      severity: "error",
      from: { path: "^src/(events|projections|plugins|kernel|cli)/" },
      to: { path: "^src/index\\.ts$" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
  },
}
