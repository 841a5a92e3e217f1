import type { Attempts } from "./Attempt.ts"

const sqlite = `const { DatabaseSync, backup } = await import("node:sqlite");`

export const storage: Attempts = {
  "node:sqlite opens a file": `${sqlite} return new DatabaseSync(at.outside + "/secret.db").prepare("SELECT text FROM secret").get().text`,
  "node:sqlite opens a file by URI": `${sqlite} return new DatabaseSync("file:" + at.outside + "/secret.db?mode=ro").prepare("SELECT text FROM secret").get().text`,
  "ATTACH of a file": `${sqlite} const db = new DatabaseSync(":memory:"); db.exec(\`ATTACH '\${at.outside}/secret.db' AS other\`)
    return db.prepare("SELECT text FROM other.secret").get().text`,
  "ATTACH of a new file": `${sqlite} const db = new DatabaseSync(":memory:"); db.exec(\`ATTACH '\${at.marker}' AS other; CREATE TABLE other.t (a)\`)`,
  "VACUUM INTO": `${sqlite} const db = new DatabaseSync(":memory:"); db.exec("CREATE TABLE t (a)"); db.exec(\`VACUUM INTO '\${at.marker}'\`)`,
  "backup into a file": `${sqlite} const db = new DatabaseSync(":memory:"); db.exec("CREATE TABLE t (a)"); await backup(db, at.marker)`,
  loadExtension: {
    tame: `${sqlite} new DatabaseSync(":memory:", { allowExtension: true }).loadExtension("/lib/x86_64-linux-gnu/libm.so.6"); return at.escaped`,
  },
  "enableLoadExtension, then SQL": {
    tame: `${sqlite} const db = new DatabaseSync(":memory:"); db.enableLoadExtension(true)
    return db.prepare("SELECT load_extension('/lib/x86_64-linux-gnu/libm.so.6')").get() && at.escaped`,
  },
  "readfile in SQL": {
    tame: `${sqlite} return new DatabaseSync(":memory:").prepare("SELECT readfile(?) AS text").get(at.secret).text`,
  },
  localStorage: `localStorage.setItem("kept", at.escaped); return localStorage.getItem("kept")`,
  "the Cache API": `const cache = await caches.open("kept"); await cache.put("http://example.org/", new Response(at.escaped)); return await (await cache.match("http://example.org/")).text()`,
  "Deno.openKv": { tame: `return await Deno.openKv(at.marker) && at.escaped` },
  indexedDB: { tame: `return indexedDB.open("kept") && at.escaped` },
  "navigator.storage": { tame: `return await navigator.storage.getDirectory() && at.escaped` },
  "BroadcastChannel to other processes": {
    tame: `const channel = new BroadcastChannel(""); channel.postMessage(Symbol()); return at.escaped`,
  },
}
