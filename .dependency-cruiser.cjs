/**
 * Imports point down: from a room to those below it in its list, never up and never in a circle, types included.
 * The runner stands alone: it is another program.
 */

/** A rule for each room: it imports none of the rooms above it. From the top of the house to the bottom. */
const storeys = (house, rooms) =>
  rooms.slice(1).map((room, index) => ({
    name: `${house}/${room}-imports-nothing-above-it`,
    severity: "error",
    from: { path: `^${house}/${room}/` },
    to: { path: `^${house}/(${rooms.slice(0, index + 1).join("|")})/` },
  }))

module.exports = {
  forbidden: [
    ...storeys("src", [
      "cli",
      "record",
      "promise",
      "html",
      "worlds",
      "agents",
      "kernel",
      "(plugins|projections)",
      "events",
      "platform",
      "views",
      "values",
    ]),
    ...storeys("src/agents", ["channel", "models"]),
    {
      name: "plugins-and-projections-do-not-know-each-other",
      severity: "error",
      from: { path: "^src/(plugins|projections)/" },
      to: { path: "^src/(plugins|projections)/", pathNot: "^src/$1/" },
    },
    ...storeys("src/worlds", ["testing", "(adapters|wrappers|scenario|group)", "(handle|conformance)"]),
    ...storeys("src/kernel", [
      "resume",
      "fork",
      "replay",
      "recovery",
      "control",
      "agents",
      "tasks",
      "(acting|sensing)",
      "context",
      "scoring",
      "critics",
      "program",
      "instances",
      "gate",
      "registry",
      "rules",
    ]),
    ...storeys("src/plugins", [
      "testing",
      "process",
      "channel",
      "hostapi",
      "sandbox",
      "manifest",
      "(schemas|spaces|numpy)",
    ]),
    ...storeys("src/projections", [
      "(timetravel|exports)",
      "comparison",
      "report",
      "audit",
      "state",
      "patch",
      "projector",
      "fold",
    ]),
    ...storeys("src/events", [
      "(sqlite|memory|testing)",
      "maintenance",
      "(append|read)",
      "payload",
      "integrity",
      "log",
      "vocabulary",
    ]),
    ...storeys("src/cli", [
      "demo",
      "play",
      "(time|step|chat)",
      "task",
      "(plugin|score|log)",
      "export",
      "pages",
      "command",
      "terminal",
    ]),
    {
      name: "runner-stands-alone",
      severity: "error",
      from: { path: "^src/plugins/runner/" },
      to: { pathNot: "^src/plugins/(author\\.ts$|runner/|numpy/|spaces/)" },
    },
    {
      name: "spaces-and-numpy-have-no-dependencies",
      comment: "They run in Node, in Deno and in browsers. The schema of spaces is for the kernel alone.",
      severity: "error",
      from: { path: "^src/plugins/(spaces|numpy|runner)/", pathNot: "/SpaceSchema\\.ts$" },
      to: { path: "node_modules|^src/values/|SpaceSchema\\.ts$" },
    },
    {
      name: "author-types-import-nothing",
      severity: "error",
      from: { path: "^src/plugins/author\\.ts$" },
      to: { path: "." },
    },
    {
      name: "examples-use-public-names",
      comment: "An example is what a program that embeds Hindcast could have written.",
      severity: "error",
      from: { path: "^examples/" },
      to: {
        path: "^src/",
        pathNot:
          "^src/(index|events/index|projections/index|worlds/index|record/index|promise|testing|plugins/author)\\.ts$",
      },
    },
    {
      name: "only-the-demo-shows-an-example",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/demo/" },
      to: { path: "^examples/" },
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
      from: { path: "^src/[^/]+/" },
      to: { path: "^src/(((projections|worlds|record)/)?index|promise)\\.ts$" },
    },
    {
      name: "no-circles",
      comment: "Types included.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
  },
}
