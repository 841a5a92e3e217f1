/** The system prompt of a model agent: its guide, its plugins and environments, and its memories. */

import type { PluginDescription } from "../kernel/agents/Agent.ts"
import type { Guide } from "./Guide.ts"

export const of = ({ systemPrompt, initialMemories = [] }: Guide, plugins: ReadonlyArray<PluginDescription>): string =>
  [
    ...(systemPrompt === undefined ? [] : [systemPrompt.trim()]),
    ...(plugins.length === 0 ? [] : [["# What you work with", ...plugins.map(pluginText)].join("\n\n")]),
    ...(initialMemories.length === 0 ? [] : [`# What you remember\n\n${listed(initialMemories)}`]),
  ].join("\n\n")

const pluginText = ({ name, description, environment }: PluginDescription): string =>
  [
    `## ${name}\n\n${description.trim()}`,
    ...(environment === undefined
      ? []
      : [
          `Environment: ${environment.name}. ${environment.description.trim()}`,
          ...(environment.rules.length === 0 ? [] : [`Rules:\n${listed(environment.rules)}`]),
          ...(environment.conventions.length === 0 ? [] : [`Conventions:\n${listed(environment.conventions)}`]),
        ]),
  ].join("\n\n")

const listed = (items: ReadonlyArray<string>): string => items.map((item) => `- ${item.trim()}`).join("\n")
