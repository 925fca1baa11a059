"""The text protocol Thought / Action / Observation, behind the interface of a chat model that calls tools."""
