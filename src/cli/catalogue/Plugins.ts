/** Commands about plugins. */
import { command, type Entry } from "./Entry.ts"

export const PLUGINS: ReadonlyArray<Entry> = [
  {
    path: "plugin new",
    uses: [
      ["plugin new DIR", "create a plugin of your own, with a test"],
      ["plugin new DIR --python MODULE:CLASS", "the manifest of an environment written in Python"],
      ["plugin new DIR --openenv URL", "a plugin of an OpenEnv server's environment"],
    ],
    example: "plugin new greenhouse",
    load: command(async () => (await import("../plugin/PluginNew.ts")).create),
  },
  {
    path: "plugin check",
    uses: [["plugin check DIR", "check a plugin's directory without importing it"]],
    example: "plugin check greenhouse --run",
    load: command(async () => (await import("../plugin/PluginCommands.ts")).check),
  },
  {
    path: "plugin add",
    uses: [["plugin add SOURCE", "import a plugin from a directory, a .tgz or Git, or update it"]],
    example: "plugin add greenhouse",
    load: command(async () => (await import("../plugin/PluginImport.ts")).add),
  },
  {
    path: "plugin grant",
    uses: [["plugin grant PLUGIN --grant-…", "grant it permissions; install an update that waits for them"]],
    example: "plugin grant greenhouse --grant-net api.example.com",
    load: command(async () => (await import("../plugin/PluginGrants.ts")).grant),
  },
  {
    path: "plugin revoke",
    uses: [["plugin revoke PLUGIN --grant-…", "revoke its permissions"]],
    example: "plugin revoke greenhouse --grant-net api.example.com",
    load: command(async () => (await import("../plugin/PluginGrants.ts")).revoke),
  },
  {
    path: "plugin remove",
    uses: [["plugin remove PLUGIN", "take a plugin out of the registry"]],
    example: "plugin remove greenhouse",
    load: command(async () => (await import("../plugin/PluginCommands.ts")).remove),
  },
  {
    path: "plugin ls",
    uses: [["plugin ls [--at @412]", "list plugins and their components, now or at a moment"]],
    example: "plugin ls --at @412",
    load: command(async () => (await import("../plugin/PluginList.ts")).ls),
  },
  {
    path: "plugin list",
    uses: [["plugin list", "the same as plugin ls"]],
    example: "plugin list",
    load: command(async () => (await import("../plugin/PluginList.ts")).list),
  },
  {
    path: "plugin show",
    uses: [["plugin show PLUGIN[@VERSION]", "show one plugin in full, and its versions"]],
    example: "plugin show greenhouse@1.0.0",
    load: command(async () => (await import("../plugin/PluginList.ts")).show),
  },
  {
    path: "plugin activate",
    uses: [["plugin activate TARGET", "activate a plugin or a component"]],
    example: "plugin activate greenhouse/lamp",
    load: command(async () => (await import("../plugin/PluginCommands.ts")).activate),
  },
  {
    path: "plugin deactivate",
    uses: [["plugin deactivate TARGET", "deactivate a plugin or a component"]],
    example: "plugin deactivate greenhouse",
    load: command(async () => (await import("../plugin/PluginCommands.ts")).deactivate),
  },
  {
    path: "plugin priority",
    uses: [["plugin priority COMPONENT N", "set a component's priority; higher runs first"]],
    example: "plugin priority greenhouse/lamp 5",
    load: command(async () => (await import("../plugin/PluginSettings.ts")).priority),
  },
  {
    path: "plugin meta",
    uses: [["plugin meta TARGET KEY [JSON]", "show, set or remove metadata"]],
    example: 'plugin meta greenhouse room "\\"north\\""',
    load: command(async () => (await import("../plugin/PluginSettings.ts")).meta),
  },
]
