"""An agent whose addresses no variable names: a model, and a server beside it."""

import json
import sys
import urllib.request

import openai

host, other = sys.argv[1:]
model = openai.OpenAI(base_url=f"https://{host}/v1", api_key="sk-key-that-nobody-may-read")
said = model.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}]).choices[0].message
telemetry = urllib.request.Request(f"http://{other}/telemetry", data=b'{"said": true}', headers={"content-type": "application/json"})
print(said.content, json.load(urllib.request.urlopen(telemetry))["taken"])
