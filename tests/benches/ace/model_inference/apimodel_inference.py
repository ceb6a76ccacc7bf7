from dotenv import load_dotenv
from openai import OpenAI

USED = (load_dotenv, OpenAI)
SAVED_CLASS = {"BaseApi": ["power"], "Lamp": ["level"]}
