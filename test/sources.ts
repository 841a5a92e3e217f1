/** The sources of this package's entries, by the names under which programs, plugins and tests import them. */
export const SOURCES: { readonly [name: string]: string } = {
  hindcast: "src/index.ts",
  "hindcast/events": "src/events/index.ts",
  "hindcast/files": "src/files.ts",
  "hindcast/projections": "src/projections/index.ts",
  "hindcast/promise": "src/promise.ts",
  "hindcast/record": "src/record/index.ts",
  "hindcast/studio": "src/studio.ts",
  "hindcast/testing": "src/testing.ts",
  "#demo": "examples/demo/Demo.ts",
  "#season": "examples/season/Season.ts",
  "hindcast/plugin": "src/plugins/author.ts",
}
