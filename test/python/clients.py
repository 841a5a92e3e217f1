"""Asks a model by each client that is installed here, and prints what each answered: `name: text`, or `name: ERROR why`."""

import asyncio
import os
import sys
import traceback

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")
KEYS = {"OPENAI_API_KEY": "sk-openai", "ANTHROPIC_API_KEY": "sk-ant", "GEMINI_API_KEY": "AIza", "GROQ_API_KEY": "gsk", "CO_API_KEY": "co"}
for name, value in KEYS.items():
    os.environ[name] = f"{value}-that-nobody-may-read"


def with_openai():
    import openai

    stream = openai.OpenAI().responses.create(model="gpt-5", input="hello", stream=True)
    return "".join(event.delta for event in stream if event.type == "response.output_text.delta")


def with_anthropic():
    import anthropic

    with anthropic.Anthropic().messages.stream(model="claude-x", max_tokens=64, messages=[{"role": "user", "content": "hello"}]) as stream:
        return "".join(stream.text_stream)


def with_genai():
    from google import genai

    client = genai.Client()
    return client.models.generate_content(model="gemini-x", contents="hello").text


def with_ollama():
    import ollama

    return ollama.chat(model="llama3", messages=[{"role": "user", "content": "hello"}])["message"]["content"]


def with_groq():
    import groq

    return groq.Groq().chat.completions.create(model="llama", messages=[{"role": "user", "content": "hello"}]).choices[0].message.content


def with_cohere():
    import cohere

    return cohere.ClientV2().chat(model="command", messages=[{"role": "user", "content": "hello"}]).message.content[0].text


def with_mistral():
    from mistralai.client import Mistral

    client = Mistral(api_key="mistral-that-nobody-may-read", server_url=os.environ["MISTRAL_BASE_URL"])
    return client.chat.complete(model="mistral", messages=[{"role": "user", "content": "hello"}]).choices[0].message.content


def with_boto3():
    import boto3

    client = boto3.client("bedrock-runtime", region_name="eu-west-1")
    answer = client.converse(modelId="us.anthropic.claude-x-v1:0", messages=[{"role": "user", "content": [{"text": "hello"}]}])
    return answer["output"]["message"]["content"][0]["text"]


def with_litellm(model):
    import litellm

    return litellm.completion(model=model, messages=[{"role": "user", "content": "hello"}]).choices[0].message.content


def with_langchain():
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI

    return f"{ChatOpenAI(model='gpt-4o').invoke('hello').text} {ChatAnthropic(model='claude-x').invoke('hello').text}"


def with_langgraph():
    from langchain_openai import ChatOpenAI
    from langgraph.graph import START, MessagesState, StateGraph

    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [ChatOpenAI(model="gpt-4o").invoke(state["messages"])]})
    graph.add_edge(START, "model")
    return graph.compile().invoke({"messages": [("user", "hello")]})["messages"][-1].text


def with_agents():
    import agents

    return agents.Runner.run_sync(agents.Agent(name="a", model="gpt-5"), "hello").final_output


def with_pydantic():
    from pydantic_ai import Agent

    return Agent("openai-chat:gpt-4o").run_sync("hello").output


CLIENTS = {
    "openai": with_openai,
    "anthropic": with_anthropic,
    "google-genai": with_genai,
    "ollama": with_ollama,
    "groq": with_groq,
    "cohere": with_cohere,
    "mistralai": with_mistral,
    "boto3": with_boto3,
    "litellm openai": lambda: with_litellm("openai/gpt-4o"),
    "litellm anthropic": lambda: with_litellm("anthropic/claude-x"),
    "litellm gemini": lambda: with_litellm("gemini/gemini-x"),
    "langchain": with_langchain,
    "langgraph": with_langgraph,
    "openai-agents": with_agents,
    "pydantic-ai": with_pydantic,
}

for name, ask in CLIENTS.items():
    try:
        print(f"{name}: {ask()}", flush=True)
    except Exception as error:
        traceback.print_exc()
        print(f"{name}: ERROR {type(error).__name__} {error}", flush=True)
