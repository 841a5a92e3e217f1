import type { Attempts } from "./Attempt.ts"

const evil = `\`export { default } from "file://\${at.outside}/module.mjs"\``

export const modules: Attempts = {
  "import of a module outside": `return (await import("file://" + at.outside + "/module.mjs")).default`,
  "import by a relative path": `return (await import("../outside/module.mjs")).default`,
  "import of a secret as text": `return (await import("file://" + at.secret, { with: { type: "text" } })).default`,
  "import of a secret as bytes": {
    tame: `return new TextDecoder().decode((await import("file://" + at.secret, { with: { type: "bytes" } })).default)`,
  },
  "import of JSON outside": `return JSON.stringify((await import("file://" + at.outside + "/data.json", { with: { type: "json" } })).default)`,
  "import of a data: module that imports": `return (await import("data:application/javascript," + encodeURIComponent(${evil}))).default`,
  "import of a blob: module that imports": `return (await import(URL.createObjectURL(new Blob([${evil}], { type: "application/javascript" })))).default`,
  "import of a data: module that imports text": `return (await import("data:application/javascript," + encodeURIComponent(\`export { default } from "file://\${at.secret}" with { type: "text" }\`))).default`,
  "import inside of new Function": `return (await new Function("place", "return import(place)")("file://" + at.outside + "/module.mjs")).default`,
  "import inside of eval": `return (await (0, eval)(\`import("file://\${at.outside}/module.mjs")\`)).default`,
  "import over HTTP": `return (await import("http://127.0.0.1:" + at.tcp + "/module.mjs")).default`,
  "import over HTTPS": { tame: `return (await import("https://deno.land/std/version.ts")) && at.escaped` },
  "import from npm": { tame: `return (await import("npm:is-odd@3.0.1")) && at.escaped` },
  "import from JSR": { tame: `return (await import("jsr:@std/path@1.0.0")) && at.escaped` },
  "import of a bare name": { tame: `return (await import("left-pad")) && at.escaped` },
  "import of a WebAssembly module outside": {
    tame: `return (await import("file://" + at.outside + "/module.wasm")) && at.escaped`,
  },
  "import.meta.resolve, then import": `return (await import(import.meta.resolve("../outside/module.mjs"))).default`,
  "require of a module outside": `return (await import("node:module")).createRequire(import.meta.url)(at.outside + "/module.cjs")`,
  "require of JSON outside": `return JSON.stringify((await import("node:module")).createRequire(import.meta.url)(at.outside + "/data.json"))`,
  "require from a place outside": `return (await import("node:module")).createRequire(at.outside + "/x.js")("./module.cjs")`,
  "require.resolve outside": {
    tame: `return (await import("node:module")).createRequire(import.meta.url).resolve(at.outside + "/missing.cjs") && at.escaped`,
  },
  "Module._load": `return (await import("node:module")).default._load(at.outside + "/module.cjs", null, false)`,
  "Module._extensions": `const { Module } = await import("node:module"); const made = new Module("x"); Module._extensions[".json"](made, at.outside + "/data.json"); return JSON.stringify(made.exports)`,
  "node:module registerHooks": `const { registerHooks, createRequire } = await import("node:module")
    registerHooks({ resolve: (name, context, next) => name === "secret" ? { url: "file://" + at.outside + "/module.cjs", shortCircuit: true } : next(name, context) })
    return createRequire(import.meta.url)("secret")`,
  "node:module findPackageJSON": {
    tame: `return (await import("node:module")).findPackageJSON(at.outside + "/x.js").includes("package.json") && at.escaped`,
  },
  "node:vm with an import": {
    tame: `return (await (await import("node:vm")).runInThisContext(\`import("file://\${at.outside}/module.mjs")\`)).default`,
  },
  "node:vm in a new context": {
    tame: `return (await import("node:vm")).runInNewContext("this.constructor.constructor('return Deno')()").readTextFileSync(at.secret)`,
  },
  "WebAssembly.compileStreaming of a file": {
    tame: `return await WebAssembly.compileStreaming(fetch("file://" + at.outside + "/module.wasm")) && at.escaped`,
  },
  "node:inspector opens a port": {
    tame: `(await import("node:inspector")).open(0, "127.0.0.1"); return (await import("node:inspector")).url() && at.escaped`,
  },
  "node:inspector evaluates in a session": {
    tame: `const { Session } = await import("node:inspector"); const session = new Session(); session.connect()
    return await new Promise((resolve, reject) => session.post("Runtime.evaluate", { expression: \`Deno.readTextFileSync("\${at.secret}")\` }, (error, { result }) => error ? reject(error) : resolve(result.value ?? (() => { throw new Error(result.description) })())))`,
  },
  "Deno.bundle": {
    tame: `return JSON.stringify(await Deno.bundle({ entrypoints: [at.outside + "/module.mjs"], write: false }))`,
  },
}
