import type { Plugin } from "hindcast/plugin"

export default {
  sensors: { value: () => ({ temperature: 21.5, unit: "C", room: "study", note: "all is well in here" }) },
  actuators: { echo: (_context, args) => args },
} satisfies Plugin
