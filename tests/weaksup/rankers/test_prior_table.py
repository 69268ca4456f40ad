"""The prior table: what it lends to a small corpus, that it round-trips, and what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from mathcanon import equivalent
from weaksup.errors import ConfigError, DataError
from weaksup.meaning.kinds import KINDS
from weaksup.rankers.em import EMOptions, em_posteriors
from weaksup.rankers.evidence import weigh
from weaksup.rankers.prior_table import PriorTable, TableCorpus, load_prior, template_text, write_prior
from weaksup.rankers.table import rank_candidates
from weaksup.records import Candidate, CandidateSet
from weaksup.wording.readings import ROLES, read_candidates

from .problems import make_sets

NO_ROLES = tuple((0.0,) * KINDS for _ in range(ROLES))


def table(**counts: dict[str, float]) -> PriorTable:
    corpora = [
        TableCorpus(name=name, problems=10, templates={"2": templates}, roles=NO_ROLES)
        for name, templates in counts.items()
    ]
    return PriorTable(corpora=tuple(corpora))


def set_of(*exprs: str) -> CandidateSet:
    candidates = tuple(Candidate(expr=expr, stage="all", value="2") for expr in exprs)
    return CandidateSet(id="x", values=("4", "2"), surfaces=("4", "2"), answer="2", candidates=candidates)


def ratio(prior: PriorTable | None, options: EMOptions) -> float:
    """The posterior of N0/N1 over that of N0-N1, where nothing but the table speaks."""
    minus, over = em_posteriors([set_of("N0-N1", "N0/N1")], options, prior=prior)[0].tolist()
    return float(over / minus)


def test_the_templates_of_the_table_are_likely() -> None:
    options = EMOptions(kinds=False)
    assert ratio(None, options) == pytest.approx(1)
    for_division, against = table(a={"N0/N1": 3.0, "N0-N1": 1.0}), table(a={"N0/N1": 1.0, "N0-N1": 3.0})
    assert 1 < ratio(for_division, options) < 3  # in between description length and table
    assert ratio(for_division, options) == pytest.approx(1 / ratio(against, options))


def test_the_table_weighs_as_much_as_its_problems() -> None:
    # The table as 30 problems is the same as 30 problems in its proportions.
    options = EMOptions(kinds=False, none=False, prior_problems=30.0)
    over, minus = set_of("N0/N1"), set_of("N0-N1")
    others = [msgspec.structs.replace(one, id=f"{i}") for i, one in enumerate([over] * 20 + [minus] * 10)]
    from_problems = em_posteriors([set_of("N0-N1", "N0/N1"), *others], options, prior=None)[0]
    from_table = em_posteriors([set_of("N0-N1", "N0/N1")], options, prior=table(a={"N0/N1": 2.0, "N0-N1": 1.0}))[0]
    assert from_table.tolist() == pytest.approx(from_problems.tolist())


def test_each_corpus_of_the_table_has_an_equal_part_whatever_its_size() -> None:
    small, large = {"N0/N1": 1.0}, {"N0-N1": 1000.0}
    assert ratio(table(a=small, b=large), EMOptions(kinds=False)) == pytest.approx(1)
    alone = table(a=small, b=large).without("b")
    assert alone == table(a=small)


def test_a_large_corpus_outweighs_the_table() -> None:
    options = EMOptions(kinds=False)
    prior = table(a={"N0/N1": 1.0})
    minus = [msgspec.structs.replace(set_of("N0-N1"), id=f"{i}", answer=str(i)) for i in range(300)]
    doubtful = em_posteriors([set_of("N0-N1", "N0/N1"), *minus], options, prior=prior)[0]
    assert doubtful[0] > doubtful[1]
    assert ratio(prior, options) > 1


def test_a_table_round_trips_through_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    given = table(a={"N0/N1": 3.0, "N0*(1-N1)": 1.5})
    write_prior(path, given)
    assert load_prior(str(path)) == given
    assert load_prior("none") is None


def test_the_shipped_table_is_small_and_says_where_it_comes_from() -> None:
    shipped = load_prior("shipped")
    assert shipped is not None
    assert {corpus.name for corpus in shipped.corpora} == {"math23k", "svamp", "asdiv-a", "mawps"}
    assert all(corpus.part and len(corpus.digest) == 64 for corpus in shipped.corpora)
    assert shipped.command and shipped.versions
    assert len(msgspec.json.encode(shipped)) < 90_000
    sets, shares = shipped.problems()
    assert len(sets) == len(shares) > 500
    assert shares.sum() == pytest.approx(1)


def test_the_text_of_a_template_means_the_same() -> None:
    exprs = ["N0*(N1-1)", "3.14*N0*N0", "(N0+N1)/(N2-N0)", "N0^2-N1", "N0*(1/3)"]
    sets = [
        CandidateSet(
            id=expr,
            values=("7", "8", "9"),
            surfaces=("7", "8", "9"),
            answer="1",
            candidates=(Candidate(expr=expr, stage="all", value="1"),),
        )
        for expr in exprs
    ]
    readings = read_candidates(sets)
    for i, expr in enumerate(exprs):
        assert equivalent(template_text(readings, i), expr)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corpora": []}, "no corpora"),
        ({"corpora": "x"}, "not a prior table"),
        ({"templates": {"2": {"N0/N5": 1.0}}}, "not a template of 2 quantities"),
        ({"templates": {"x": {"N0/N1": 1.0}}}, "no counts of templates"),
        ({"templates": {"2": {"N0/N1": -1.0}}}, "no counts of templates"),
        ({"roles": [[1.0]]}, "another version"),
    ],
)
def test_a_bad_table_is_refused_in_one_line(tmp_path: Path, change: dict[str, object], message: str) -> None:
    record = json.loads(msgspec.json.encode(table(a={"N0/N1": 3.0})))
    place = record if "corpora" in change else record["corpora"][0]
    place.update(change)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(record))
    with pytest.raises(DataError, match=message) as error:
        load_prior(str(path))
    assert "\n" not in str(error.value)


def test_an_unknown_prior_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown prior 'best'"):
        load_prior("best")
    with pytest.raises(ConfigError, match="ranker random has no prior"):
        list(rank_candidates("random", make_sets(3, seed=1), prior="none"))


def test_a_small_corpus_is_told_how_many_problems_would_help() -> None:
    strength = EMOptions().order_strength
    few, many = weigh(10), weigh(int(3 * strength))
    assert few.share < many.share == pytest.approx(0.75)
    assert f"About {few.lacking:,} problems more" in few.note
    assert weigh(10 + few.lacking).lacking == 0
    assert (many.lacking, many.note) == (0, "")


@pytest.fixture
def em_table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    import em_table

    assert em_table is sys.modules["em_table"]
    return em_table


def test_a_table_of_ones_own_has_the_counts_of_the_em(em_table: ModuleType) -> None:
    sets = make_sets(60, seed=3)
    learnt = em_table.learn("mine", "own", sets)
    found = [one for one in sets if one.candidates]
    expected = sum(belief.sum() for belief in em_posteriors(sets, prior=None))
    counted = sum(sum(counts.values()) for counts in learnt.templates.values())
    assert learnt.problems == len(found)
    assert 0.5 * expected < counted <= expected + 0.5  # rare templates are left out
    table = PriorTable(corpora=(learnt,))
    assert len(em_posteriors(sets, prior=table)) == len(sets)
