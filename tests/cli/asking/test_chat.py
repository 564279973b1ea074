"""hydra-kg chat and ask --after on the sample: piped lines, commands, a terminal, Ctrl-C, history, completion."""

from __future__ import annotations

import json
import os
import pty
import select
import stat
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from helpers.programs import own_environment

from hydra_kg import Hydra
from hydra_kg.cli.chatting.session import ChatSession
from hydra_kg.cli.chatting.typing_in import LONGEST, NameCompleter, private_file

BORN = "Where was Lionel Messi born?"


def chat(call, store, *lines, more=()):
    return call("chat", "--store", store, "--agent", "offline", *more, input="\n".join(lines)).output


def test_a_follow_up_is_said_and_answered_as_any_question(call, sample_store):
    text = chat(call, sample_store, BORN, "and when?", "/quit", "never asked")
    assert "> and when?" in text
    assert "Understood as: When was Lionel Messi born?" in text
    assert "1987-06" in text
    assert "never asked" not in text


def test_what_cannot_be_resolved_is_said_and_the_chat_goes_on(call, sample_store):
    text = chat(call, sample_store, BORN, "when was she born?", "x" * 3_000, "when was he born?")
    assert "Not understood as a follow-up: nothing in the last question or its answer fits “she”" in text
    assert "The question has 3,000 characters" in text
    assert "Understood as: When was Lionel Messi born?" in text


def test_commands(call, sample_store):
    text = chat(
        call, sample_store, "/why", BORN, "/sources", "/why", "/show", "/new", "/nope", "when was he born?", "/help"
    )
    assert "There is no answer yet." in text
    assert "Phase 1" in text
    assert "Where was Lionel Messi born?  Rosario" in text
    assert "There is no command /nope" in text
    assert "/sources" in text.split("/help")[-1]


def test_one_document_a_line_for_programs(call, sample_store):
    docs = [
        json.loads(line)
        for line in chat(call, sample_store, BORN, "when?", more=["--json"]).splitlines()
        if line[:1] == "{"
    ]
    assert [d["question"] for d in docs] == [BORN, "when?"]
    assert docs[1]["after"] == docs[0]["id"]
    assert docs[1]["understood_as"] == "When was Lionel Messi born?"


def test_ask_after_a_kept_answer(call, sample_store):
    first = json.loads(call("ask", BORN, "--store", sample_store, "--agent", "offline", "--json").output)
    doc = json.loads(
        call("ask", "how tall is he?", "--after", first["id"], "--store", sample_store, "--json", code=None).output
    )
    assert (doc["after"], doc["understood_as"]) == (first["id"], "How tall is Lionel Messi?")
    assert [m["text"] for m in doc["mentions"]] == ["Lionel Messi"]
    assert call("ask", "and when?", "--after", "ffffffffffff", "--store", sample_store, code=1)


def test_python_takes_an_answer_its_document_or_its_id(sample):
    first = sample.ask(BORN)
    for after in (first, first.to_dict(), first.id):
        assert sample.ask("and when?", after=after, keep=False).answer_text == "1987-06"
    document = first.to_dict()
    document["mentions"][0]["chosen"]["id"] = (
        "m.02tb17"  # the name keeps the entity that it stood for, whatever that is
    )
    other = sample.ask("how old is it?", after=document, keep=False)
    assert other.understood_as == "How old is Lionel Messi?"
    assert other.mentions[0].chosen.node.key == "m.02tb17"
    refused = sample.ask("and his father?", after=first, keep=False)
    assert refused.abstained
    assert len(refused.choices) == 2


def test_names_are_completed_from_the_store(sample):
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    completer = NameCompleter(ChatSession(sample).names)

    def completed(text):
        return {c.text for c in completer.get_completions(Document(text), CompleteEvent())}

    assert "Lionel Messi" in completed("where was lionel m")
    assert completed("/s") == {"/sources", "/show"}
    assert completed("where is x") == set()


def test_history_is_for_the_user_alone_and_bounded(tmp_path):
    path = tmp_path / "state" / "chat_history"
    path.parent.mkdir()
    path.write_text("\n# 2026\n+question\n" * 70_000)
    path.chmod(0o644)
    assert path.stat().st_size > LONGEST
    assert stat.S_IMODE(private_file(path).stat().st_mode) == 0o600
    assert path.stat().st_size <= LONGEST
    assert path.read_text().startswith("\n# 2026\n+question\n")
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="link"):
        private_file(tmp_path / "link")


class SlowHydra(Hydra):
    """Waits in every question until it is stopped."""

    def ask(self, question, *, cancellation, **options):
        os.kill(os.getpid(), 2)
        cancellation.wait(60)
        raise AssertionError("it was not stopped")


def test_an_interrupt_stops_the_question_and_not_the_chat(tmp_path, capsys, heeds_interrupts):
    session = ChatSession(SlowHydra(store=tmp_path))
    assert session.say("who?")
    assert "Stopped." in capsys.readouterr().err


def test_a_terminal_asks_remembers_and_ends(sample_store, tmp_path):
    master, slave = pty.openpty()
    environment = own_environment(XDG_STATE_HOME=str(tmp_path), TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
    command = [sys.executable, "-m", "hydra_kg", "chat", "--store", str(sample_store), "--agent", "offline"]
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    ) as run:
        os.close(slave)
        ready = b"\x1b[?2004h"  # a prompt that is read
        until(master, ready)
        os.write(master, b"nothing\x03")
        until(master, ready)
        os.write(master, b"when was lionel messi born?\r")
        seen = until(master, b"1987-06")
        assert b"1987-06" in seen
        seen = seen if ready in seen.split(b"1987-06")[1] else until(master, ready)
        os.write(master, b"\x04")
        with suppress(OSError):  # the terminal is closed at the end
            until(master, b"until it ends", seconds=2)
        try:
            assert run.wait(60) == 0
        finally:
            run.kill()
    os.close(master)
    history = tmp_path / "hydra-kg" / "chat_history"
    assert "+when was lionel messi born?" in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def until(master, wanted, seconds=60):
    text, end = b"", time.monotonic() + seconds
    while wanted not in text and time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            text += os.read(master, 4096)
    return text
