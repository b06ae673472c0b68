"""Documents and questions become the same words."""

import pytest

from slowwave.recall import words


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("releasing", "We release on Fridays"),
        ("parse row", "`parseRow` is slow"),
        ("HTTP server", "the HTTPServer class"),
        ("row count", "row_count is wrong"),
        ("münchen", "Munchen"),
        ("naïve", "naive"),
        ("部署脚本", "用部署脚本发布"),
        ("テスト", "テストを実行する"),
        ("배포 스크립트", "배포 스크립트를 고친다"),
    ],
)
def test_a_question_meets_what_was_written(asked: str, written: str) -> None:
    """Endings, humps, accents and scripts without spaces do not stand between them."""
    held = words.indexed(written)
    assert any(f" {w} " in held for w in words.asked(asked))


def test_words_without_meaning_are_left_out_unless_there_are_no_others() -> None:
    """A question of such words says nothing, but it is better than asking nothing."""
    assert words.asked("what is the deploy for") == ["deploi"]
    assert words.asked("what is the") == ["what", "i", "the"]
    assert words.asked("?!") == []


def test_a_word_asked_twice_counts_once() -> None:
    """Repeating oneself changes nothing."""
    assert words.asked("cache cache Cache") == ["cach"]


def test_a_date_is_found_by_its_month() -> None:
    """People ask for March, not for 03."""
    assert "march" in words.dated("2026-03-09T10:00:00Z")
    assert words.dated("") == words.dated("soon") == ""
