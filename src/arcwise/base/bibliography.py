"""The works that scores, rules and reports refer to, each once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arcwise.base.errors import check_known


@dataclass(frozen=True, slots=True)
class Work:
    """A paper, thesis or report: ``str(work)`` is its entry in a list of references."""

    authors: tuple[str, ...]  # each as "Kass, R. E.", in the order of the title page
    year: int
    title: str
    venue: str  # where it appeared, with volume and pages

    @property
    def names(self) -> str:
        """The authors as a text names them: "Kass & Raftery", or "Broom et al." if there are more than four."""
        families = [author.partition(",")[0] for author in self.authors]
        if len(families) > MOST_NAMED:
            return f"{families[0]} et al."
        return " & ".join([part for part in (", ".join(families[:-1]), families[-1]) if part])

    @property
    def mention(self) -> str:
        """What stands in brackets in a text: "Friedman et al., 1999", with at most two authors named."""
        families = [author.partition(",")[0] for author in self.authors]
        names = " & ".join(families) if len(families) <= MOST_IN_BRACKETS else f"{families[0]} et al."
        return f"{names}, {self.year}"

    def __str__(self) -> str:
        *first, last = self.authors
        authors = f"{', '.join(first)}, & {last}" if first else last
        ending = "" if self.title.endswith(("?", "!")) else "."
        return f"{authors} ({self.year}). {self.title}{ending} {self.venue}."


# How many authors are named in a list of scores, and how many in brackets (as the American Psychological Association
# asks).
MOST_NAMED = 4
MOST_IN_BRACKETS = 2


@dataclass(frozen=True, slots=True)
class Citation:
    """A work by its key in `BIBLIOGRAPHY`, and the place in it: ``str(...)`` gives "Liao 2022, section 4.2"."""

    key: str
    place: str = ""

    @property
    def work(self) -> Work:
        """The work itself."""
        return find_work(self.key)

    def __str__(self) -> str:
        return f"{self.work.names} {self.work.year}" + (f", {self.place}" if self.place else "")


def find_work(key: str) -> Work:
    """Return a work by its key, such as "liao-2022"."""
    check_known("work", key, BIBLIOGRAPHY)
    return BIBLIOGRAPHY[key]


def list_works(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the entries of the given works, each once, by author."""
    return tuple(sorted(str(find_work(key)) for key in set(keys)))


BIBLIOGRAPHY: dict[str, Work] = {
    "akaike-1974": Work(
        ("Akaike, H.",),
        1974,
        "A new look at the statistical model identification",
        "IEEE Transactions on Automatic Control, 19, 716–723",
    ),
    "andrews-2018": Work(
        ("Andrews, B.", "Ramsey, J.", "Cooper, G. F."),
        2018,
        "Scoring Bayesian networks of mixed variables",
        "International Journal of Data Science and Analytics, 6, 3–18",
    ),
    "andrews-2019": Work(
        ("Andrews, B.", "Ramsey, J.", "Cooper, G. F."),
        2019,
        "Learning high-dimensional directed acyclic graphs with mixed data-types",
        "Proceedings of Machine Learning Research, 104, 4–21",
    ),
    "bottcher-2001": Work(
        ("Bøttcher, S. G.",), 2001, "Learning Bayesian networks with mixed variables", "AISTATS, 13–20"
    ),
    "broom-2012": Work(
        ("Broom, B. M.", "Do, K.-A.", "Subramanian, D."),
        2012,
        "Model averaging strategies for structure learning in Bayesian networks with limited data",
        "BMC Bioinformatics, 13 (Suppl. 13), S10",
    ),
    "buntine-1991": Work(("Buntine, W.",), 1991, "Theory refinement on Bayesian networks", "UAI, 52–60"),
    "cano-2011": Work(
        ("Cano, A.", "Gómez-Olmedo, M.", "Masegosa, A. R.", "Moral, S."),
        2011,
        "Locally averaged Bayesian Dirichlet metrics",
        "ECSQARU, 217–228",
    ),
    "cooper-1999": Work(
        ("Cooper, G. F.", "Yoo, C."),
        1999,
        "Causal discovery from a mixture of experimental and observational data",
        "Proceedings of the Fifteenth Conference on Uncertainty in Artificial Intelligence, 116–125",
    ),
    "cooper-1992": Work(
        ("Cooper, G. F.", "Herskovits, E."),
        1992,
        "A Bayesian method for the induction of probabilistic networks from data",
        "Machine Learning, 9, 309–347",
    ),
    "friedman-1999": Work(
        ("Friedman, N.", "Goldszmidt, M.", "Wyner, A."),
        1999,
        "Data analysis with Bayesian networks: a bootstrap approach",
        "UAI, 196–205",
    ),
    "balov-2013": Work(
        ("Balov, N.",),
        2013,
        "Consistent model selection of discrete Bayesian networks from incomplete data",
        "Electronic Journal of Statistics, 7, 1047–1077",
    ),
    "azzimonti-2019": Work(
        ("Azzimonti, L.", "Corani, G.", "Zaffalon, M."),
        2019,
        "Hierarchical estimation of parameters in Bayesian networks",
        "Computational Statistics & Data Analysis, 137, 67–91",
    ),
    "azzimonti-2022": Work(
        ("Azzimonti, L.", "Corani, G.", "Scutari, M."),
        2022,
        "A Bayesian hierarchical score for structure learning from related data sets",
        "International Journal of Approximate Reasoning, 142, 248–265",
    ),
    "bodewes-2021": Work(
        ("Bodewes, T.", "Scutari, M."),
        2021,
        "Learning Bayesian networks from incomplete data with the node-average likelihood",
        "International Journal of Approximate Reasoning, 138, 145–160",
    ),
    "tanner-1987": Work(
        ("Tanner, M. A.", "Wong, W. H."),
        1987,
        "The calculation of posterior distributions by data augmentation",
        "Journal of the American Statistical Association, 82, 528–540",
    ),
    "geiger-2002": Work(
        ("Geiger, D.", "Heckerman, D."),
        2002,
        "Parameter priors for directed acyclic graphical models and the characterization of several probability "
        "distributions",
        "Annals of Statistics, 30, 1412–1440",
    ),
    "gross-2019": Work(
        (
            *("Gross, T. J.", "Bessani, M.", "Darwin Junior, W."),
            *("Araújo, R. B.", "Vale, F. A. C.", "Maciel, C. D."),
        ),
        2019,
        "An analytical threshold for combining Bayesian networks",
        "Knowledge-Based Systems, 175, 36–49",
    ),
    "hauser-2012": Work(
        ("Hauser, A.", "Bühlmann, P."),
        2012,
        "Characterization and greedy learning of interventional Markov equivalence classes of directed acyclic graphs",
        "Journal of Machine Learning Research, 13, 2409–2464",
    ),
    "heckerman-1995": Work(
        ("Heckerman, D.", "Geiger, D.", "Chickering, D. M."),
        1995,
        "Learning Bayesian networks: the combination of knowledge and statistical data",
        "Machine Learning, 20, 197–243",
    ),
    "kass-1995": Work(
        ("Kass, R. E.", "Raftery, A. E."),
        1995,
        "Bayes factors",
        "Journal of the American Statistical Association, 90, 773–795",
    ),
    "koivisto-2004": Work(
        ("Koivisto, M.", "Sood, K."),
        2004,
        "Exact Bayesian structure discovery in Bayesian networks",
        "Journal of Machine Learning Research, 5, 549–573",
    ),
    "kuipers-2014": Work(
        ("Kuipers, J.", "Moffa, G.", "Heckerman, D."),
        2014,
        "Addendum on the scoring of Gaussian directed acyclic graphical models",
        "Annals of Statistics, 42, 1689–1691",
    ),
    "lau-2004": Work(
        ("Lau, E.", "Bush, L."),
        2004,
        "Bayesian network learning",
        "Project 3 of the course 6.825, Massachusetts Institute of Technology",
    ),
    "liao-2022": Work(
        ("Liao, Z. A.",),
        2022,
        "Improved Bayesian Network Structure Learning in the Model Averaging Paradigm",
        "PhD thesis, University of Waterloo",
    ),
    "scanagatta-2014": Work(
        ("Scanagatta, M.", "de Campos, C. P.", "Zaffalon, M."),
        2014,
        "Min-BDeu and Max-BDeu scores for learning Bayesian networks",
        "PGM, 426–441",
    ),
    "schwarz-1978": Work(
        ("Schwarz, G.",), 1978, "Estimating the dimension of a model", "Annals of Statistics, 6, 461–464"
    ),
    "scutari-2010": Work(
        ("Scutari, M.",),
        2010,
        "Learning Bayesian Networks with the bnlearn R Package",
        "Journal of Statistical Software, 35(3), 1–22",
    ),
    "scutari-2013": Work(
        ("Scutari, M.", "Nagarajan, R."),
        2013,
        "Identifying significant edges in graphical models of molecular networks",
        "Artificial Intelligence in Medicine, 57, 207–217",
    ),
    "silander-2007": Work(
        ("Silander, T.", "Kontkanen, P.", "Myllymäki, P."),
        2007,
        "On sensitivity of the MAP Bayesian network structure to the equivalent sample size parameter",
        "UAI, 360–367",
    ),
    "silander-2010": Work(
        ("Silander, T.", "Roos, T.", "Myllymäki, P."),
        2010,
        "Learning locally minimax optimal Bayesian networks",
        "International Journal of Approximate Reasoning, 51, 544–557",
    ),
    "silander-2018": Work(
        ("Silander, T.", "Leppä-aho, J.", "Jääsaari, E.", "Roos, T."),
        2018,
        "Quotient normalized maximum likelihood criterion for learning Bayesian network structures",
        "AISTATS, 948–957",
    ),
    "steck-2008": Work(
        ("Steck, H.",), 2008, "Learning the Bayesian network structure: Dirichlet prior versus data", "UAI, 511–518"
    ),
    "su-2016": Work(
        ("Su, C.", "Borsuk, M. E."),
        2016,
        "Improving structure MCMC for Bayesian networks through Markov blanket resampling",
        "Journal of Machine Learning Research, 17 (118), 1–20",
    ),
    "suzuki-2017": Work(
        ("Suzuki, J.",),
        2017,
        "A theoretical analysis of the BDeu scores in Bayesian network structure learning",
        "Behaviormetrika, 44, 97–116",
    ),
    "suzuki-kawahara-2017": Work(
        ("Suzuki, J.", "Kawahara, J."),
        2017,
        "Branch and bound for regular Bayesian network structure learning",
        "UAI",
    ),
    "talvitie-2019": Work(
        ("Talvitie, T.", "Vuoksenmaa, A.", "Koivisto, M."),
        2019,
        "Exact sampling of directed acyclic graphs from modular distributions",
        "UAI",
    ),
    "ueno-2012": Work(
        ("Ueno, M.", "Uto, M."), 2012, "Non-informative Dirichlet score for learning Bayesian networks", "PGM"
    ),
}
