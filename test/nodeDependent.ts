/**
 * The files of tests that CI runs on another Node each time, as another user, with neither a compiler nor bubblewrap: what they try
 * differs by one of these. A name that ends with a slash means all files of a directory.
 */
export const NODE_DEPENDENT: ReadonlyArray<{ readonly differs: string; readonly files: ReadonlyArray<string> }> = [
  {
    differs:
      "the driver of SQLite: `node:sqlite` from Node 22.13 on, better-sqlite3 before; transactions, errors, full-text search, backups",
    files: ["test/events/", "test/search/", "test/memories/", "test/projections/snapshots-verify.test.ts"],
  },
  {
    differs:
      "what a recorded program does by Node: hooks of its loader, HTTP, TLS, sockets, names, workers, its ways to end",
    files: [
      ...["record/", "telemetry/", "providers/", "cli/record.test.ts", "cli/recordAiSdk.test.ts"],
      ...[
        "cli/recordClients.test.ts",
        "cli/recordClosed.test.ts",
        "cli/recordDoctor.test.ts",
        "cli/recordKeys.test.ts",
      ],
      ...["cli/recordOtherLanguages.test.ts", "cli/recordSdks.test.ts", "cli/recordTls.test.ts"],
    ].map((name) => `test/${name}`),
  },
  {
    differs: "servers, streams and clients of HTTP, of web sockets and of pipes",
    files: [
      ...[
        "agents/channel/",
        "agents/models/",
        "studio/access.test.ts",
        "studio/live.test.ts",
        "studio/capture.test.ts",
      ],
      ...["studio/team/attacks.test.ts", "studio/browser/first.test.ts", "mcp/", "acp/", "worlds/openenv/"],
      ...["cli/listen.test.ts", "cli/serve.test.ts", "cli/studio.test.ts"],
      ...["postgres/tls.test.ts"],
    ].map((name) => `test/${name}`),
  },
  {
    differs: "processes, threads and signals, and what is left where they are killed",
    files: [
      ...[
        "platform/",
        "values/",
        "kernel/takeover.test.ts",
        "kernel/remembering-killed.test.ts",
        "kernel/containers.test.ts",
      ],
      ...[
        "kernel/confirmations.test.ts",
        "kernel/rules/",
        "kernel/queue/",
        "kernel/resume/",
        "agents/killed-calls.test.ts",
      ],
      ...[
        "agents/teams/killed.test.ts",
        "importing/killed.test.ts",
        "importing/packed.test.ts",
        "importing/files.test.ts",
      ],
      ...["e2e/crash.test.ts", "e2e/killed.test.ts", "cli/code-cache.test.ts", "cli/uncaught.test.ts"],
      ...["cli/until-ended.test.ts", "cli/chat/terminal.test.ts", "cli/output-file.test.ts"],
    ].map((name) => `test/${name}`),
  },
  {
    differs: "the sandbox's layers, and Deno as a user that is not root, without bubblewrap",
    files: [
      ...[
        "bad/",
        "escape/",
        "HostApi.test.ts",
        "HostRequests.test.ts",
        "PluginProcess.test.ts",
        "ReniceWhenBusy.test.ts",
      ],
      ...[
        "Sandbox.test.ts",
        "commands.test.ts",
        "deno-cache.test.ts",
        "layers.test.ts",
        "misbehaviour.test.ts",
        "mcp/",
      ],
    ].map((name) => `test/plugins/${name}`),
  },
  {
    differs: "files and their owners, as a user that is not root",
    files: [
      ...["workspace/", "hooks/", "importing/import.test.ts", "cli/failures.test.ts", "cli/owner-only.test.ts"],
      ...["cli/personal-files.test.ts", "cli/foreign-log.test.ts", "cli/files/kept.test.ts"],
      ...["cli/partial-files.test.ts"],
    ].map((name) => `test/${name}`),
  },
  {
    differs: "how modules and packages are found, loaded, checked and left",
    files: [
      ...[
        "package/bundled.test.ts",
        "package/entries.test.ts",
        "package/peers.test.ts",
        "package/prepare.test.ts",
        "package/two-effects.test.ts",
      ],
      ...["package/promises.test.ts", "promise/", "kernel/sources.test.ts", "kernel/source-tricks.test.ts"],
    ].map((name) => `test/${name}`),
  },
  {
    differs: "the engine: its floating point, its error messages, its dates and texts",
    files: [
      ...["worlds/gold/", "worlds/physics.test.ts", "worlds/piase.test.ts", "kernel/other-engine.test.ts"],
      ...["projections/exports/"],
    ].map((name) => `test/${name}`),
  },
  {
    differs: "all of it together, as whoever types what README says",
    files: ["test/e2e/story.test.ts", "test/e2e/readme.test.ts"],
  },
]
