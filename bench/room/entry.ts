import type { Plugin } from "hindcast/plugin"

export default {
  sensors: { warmth: () => ({ celsius: 21.5, room: "study" }), light: () => ({ lux: 320, room: "study" }) },
  actuators: { set: (_context, args) => args },
} satisfies Plugin
