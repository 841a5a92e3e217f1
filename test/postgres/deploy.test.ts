import * as fs from "node:fs"
import * as http from "node:http"
import { Effect, type Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { hindcast, start } from "../cli/hindcast.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { server } from "./cluster.ts"
import { schema, sql } from "./server.ts"

const place = workplace()
afterAll(place.remove)

const read = (...names: ReadonlyArray<string>) => fs.readFileSync(inRepository("deploy", ...names), "utf8")

interface Service {
  readonly command: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly healthcheck: { readonly test: ReadonlyArray<string> }
}

const compose = parse(read("compose.yaml"), { merge: true })
const services: Readonly<Record<string, Service>> = compose.services

/** Starts a service's command until it says where its health is. */
const started = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { child, ended } = start(args, { env })
      let out = ""
      child.stdout.on("data", (piece: string) => {
        out += piece
      })
      const health = await new Promise<string>((resolve, reject) => {
        let said = ""
        child.stderr.on("data", (piece: string) => {
          said += piece
          const found = /Health on (http:\S+)/.exec(said)?.[1]
          if (found !== undefined) resolve(found)
        })
        ended.then(({ stderr, stdout }) => reject(new Error(`${args.join(" ")}: ${stdout}${stderr}`)))
      })
      return { child, ended, health, out: () => out }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
  )

const running = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

describe("deploy/", () => {
  it("the commands of the compose file set up a log, run two runners, and serve Studio to the proxy alone", () =>
    running(
      Effect.gen(function* () {
        const name = yield* schema
        const writer = `${name}_writer`
        yield* Effect.addFinalizer(() =>
          Effect.promise(async () => {
            const [found] = await sql("SELECT 1 FROM pg_roles WHERE rolname = $1", [writer])
            if (found !== undefined) await sql(`DROP OWNED BY ${writer}; DROP ROLE ${writer}`)
          }),
        )
        const at = new URL(yield* Effect.promise(async () => (await server()).url))
        const secret = "a-secret-of-the-proxy-and-studio-1234"
        const values: Readonly<Record<string, string>> = {
          POSTGRES_PASSWORD: decodeURIComponent(at.password),
          WRITER_PASSWORD: "a-password-of-the-writer",
        }
        const share = place.file(
          "share.yaml",
          read("share.yaml")
            .replace("0.0.0.0, port: 8480", "127.0.0.1, port: 0")
            .replace(/addresses: .*/, "addresses: [127.0.0.1]")
            .replace("/run/secrets/proxy-secret", place.file("proxy-secret", secret))
            .replace("/state/access.jsonl", place.file("access.jsonl"))
            .replace(
              /postgres:\/\/\w+@postgres\/agents/,
              `postgres://${writer}@${at.host}${at.pathname}?schema=${name}`,
            ),
        )
        fs.chmodSync(place.file("proxy-secret"), 0o600)
        const agent = inRepository("examples", "agents", "wanderer.mjs")
        /** What Docker gives to a container: names of machines, files and values. */
        const given = (text: string) =>
          text
            .replace(
              /postgres:\/\/postgres@postgres\/agents/,
              `postgres://tester@${at.host}${at.pathname}?schema=${name}`,
            )
            .replace(
              /postgres:\/\/hindcast_writer@postgres\/agents/,
              `postgres://${writer}@${at.host}${at.pathname}?schema=${name}`,
            )
            .replace(/^hindcast_writer$/, writer)
            .replace(/^127\.0\.0\.1:9464$/, "127.0.0.1:0")
            .replace(/^agent\.mjs$/, agent)
            .replace("/etc/hindcast/share.yaml", share)
            .replace(/\$\{(\w+):\?\}/, (_, variable: string) => values[variable] ?? "")
        const parts = (service: string) => {
          const { command, environment } = services[service] ?? { command: [], environment: {} }
          const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, given(value)]))
          return { args: command.map(given), env: { ...env, HINDCAST_STATE: place.file(`state-of-${service}`) } }
        }
        const setUp = parts("log")
        const made = yield* Effect.promise(() => hindcast(setUp.args, { env: setUp.env }))
        expect(made).toMatchObject({ code: 0 })
        expect(made.stdout).not.toContain(values.WRITER_PASSWORD)
        const [one, two, studio] = yield* Effect.all(
          ["runner-1", "runner-2", "studio"].map((service) => {
            const { args, env } = parts(service)
            return started(args, env)
          }),
          { concurrency: "unbounded" },
        )
        if (one === undefined || two === undefined || studio === undefined) throw new Error("not started")
        for (const { health } of [one, two, studio])
          expect((yield* Effect.promise(() => fetch(`${health}/readyz`))).status).toBe(200)
        const metrics = yield* Effect.promise(async () => (await fetch(`${one.health}/metrics`)).text())
        expect(metrics).toContain('hindcast_runners{state="working"} 2')
        // Through the proxy, which names the person, and past it.
        const port = /Listening on \S+:(\d+)/.exec(studio.out())?.[1]
        const ask = (headers: Record<string, string>) =>
          Effect.promise(
            () =>
              new Promise<number | undefined>((resolve, reject) =>
                http
                  .get({ port, host: "127.0.0.1", headers: { host: "studio.example.com", ...headers } }, (answer) => {
                    answer.resume()
                    resolve(answer.statusCode)
                  })
                  .on("error", reject),
              ),
          )
        expect(yield* ask({ "x-forwarded-user": "ada", "x-hindcast-proxy": secret })).toBe(200)
        expect(yield* ask({ "x-forwarded-user": "ada" })).toBeGreaterThanOrEqual(400)
        for (const { child } of [one, two, studio]) child.kill("SIGTERM")
        for (const { ended } of [one, two, studio])
          expect(yield* Effect.promise(() => ended)).toMatchObject({ code: 130 })
      }),
    ))

  it("the image has no secret of the guide's files, and starts the program itself", () => {
    const image = read("Dockerfile")
    const guide = fs.readFileSync(inRepository("docs", "guides", "run-in-production.md"), "utf8")
    const ignored = /printf '%s\\n' (.+) >> \.dockerignore/.exec(guide)?.[1]?.split(" ") ?? []
    const refused = /for file in (.+); do/.exec(image)?.[1]?.split(" ") ?? []
    const secrets = Object.values<{ readonly file?: string }>(compose.secrets).flatMap(({ file }) => file ?? [])
    expect(refused).toEqual(expect.arrayContaining(["deploy/.env", "deploy/passwords", "deploy/certificate-key.pem"]))
    for (const file of [...refused, ...secrets.map((name) => `deploy/${name}`)])
      expect({ file, ignored: ignored.some((one) => file === one || file.startsWith(`${one}/`)) }).toEqual({
        file,
        ignored: true,
      })
    expect(image).toMatch(
      /COPY \. \.[\s\S]+npm ci --omit=dev[\s\S]+ENTRYPOINT \["\/app\/node_modules\/\.bin\/hindcast"\]/,
    )
  })

  it("every probe names a path that is served, and Kubernetes runs the commands of the compose file", () => {
    const documents = ["runners.yaml", "studio.yaml"].flatMap((file) =>
      parseAllDocuments(read("kubernetes", file)).map((one) => {
        expect(one.errors).toEqual([])
        return one.toJS()
      }),
    )
    const containers = documents
      .filter(({ kind }) => kind === "Deployment")
      .flatMap(({ spec }) => spec.template.spec.containers)
    const probes = containers.flatMap(({ startupProbe, livenessProbe, readinessProbe }) =>
      [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe?.httpGet.path ?? []),
    )
    expect([...new Set(probes)].sort()).toEqual(["/healthz", "/readyz"])
    const plain = (args: ReadonlyArray<string>) =>
      args
        .filter((word, index) => word !== "--name" && args[index - 1] !== "--name")
        .map((word) => word.replace(/^[\d.]+:9464$/, "HEALTH").replace("/share/share.yaml", "/share.yaml"))
    expect(containers.map(({ args }) => plain(args))).toEqual(
      ["runner-1", "studio"].map((service) => plain(services[service]?.command ?? [])),
    )
    for (const { healthcheck, command } of [services["runner-1"], services.studio].filter((one) => one !== undefined)) {
      expect(healthcheck.test.join(" ")).toContain("http://127.0.0.1:9464/readyz")
      expect(command).toContain("127.0.0.1:9464")
    }
    // Containers get the proxy's secret by its template, and Studio asks for it.
    expect(read("nginx.conf.template")).toMatch(/proxy_set_header X-Hindcast-Proxy "\$\{PROXY_SECRET\}"/)
    expect(parse(read("share.yaml")).proxy.userHeader).toBe("X-Forwarded-User")
  })
})
