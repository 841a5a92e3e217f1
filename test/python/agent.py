"""An agent: a tool call and a streamed answer of one provider, and a question to another. Its clients find their models by variables."""

import sys

import anthropic
import openai

model = openai.OpenAI(api_key="sk-key-of-openai-that-nobody-may-read")
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
messages = [{"role": "user", "content": sys.argv[1] if len(sys.argv) > 1 else "Weather?"}]
asked = model.chat.completions.create(model="gpt-5", messages=messages, tools=tools).choices[0].message
call = asked.tool_calls[0]
messages += [asked, {"role": "tool", "tool_call_id": call.id, "content": "sunny, grüß Gott"}]
stream = model.chat.completions.create(model="gpt-5", messages=messages, tools=tools, stream=True)
said = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
other = anthropic.Anthropic(api_key="sk-ant-key-that-nobody-may-read")
checked = other.messages.create(model="claude-x", max_tokens=64, messages=[{"role": "user", "content": said}])
print(said, "|", checked.content[0].text)
