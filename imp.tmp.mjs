import { Effect } from "/work/wt/import/node_modules/effect/dist/esm/index.js"
import * as Import from "/work/wt/import/src/importing/Import.ts"
import * as Sq from "/work/wt/import/src/events/sqlite/SqliteEventLog.ts"
const [log, ...paths] = process.argv.slice(2)
const r = await Effect.runPromise(Effect.provide(Import.importFiles({ paths }), Sq.layer({ filename: log })))
console.log(JSON.stringify(r, null, 1))
