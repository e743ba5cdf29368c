# Writes bnlearn_samples.json.gz: samples of published networks, and what bnlearn says of them.
#   make networks && Rscript tests/golden/make_bnlearn_samples.R build/networks tests/golden/bnlearn_samples.json.gz
# A quarter of an hour, most of it for the bootstrap.
suppressMessages(library(bnlearn))
arguments <- commandArgs(trailingOnly = TRUE)
sizes <- c(asia = 1000, insurance = 1000, alarm = 5000, hailfinder = 2000)
digits <- strsplit("0123456789abcdefghijklmnopqrstuvwxyz", "")[[1]]
number <- function(value) sprintf("%.17g", value)
text <- function(words) sprintf('"%s"', words)
listed <- function(items) paste0("[", paste(items, collapse = ", "), "]")
named <- function(items, names) paste0("{", paste0(text(names), ": ", items, collapse = ", "), "}")
pairs <- function(arcs) listed(apply(arcs, 1, function(arc) listed(text(arc))))

totals <- function(dag, data) {
  types <- c(ll = "loglik", aic = "aic", bic = "bic", k2 = "k2", bdj = "bdj", fnml = "fnml", qnml = "qnml")
  found <- sapply(types, function(type) score(dag, data, type = type))
  found <- c(found, bdeu_ess1 = score(dag, data, type = "bde", iss = 1),
             bdeu_ess10 = score(dag, data, type = "bde", iss = 10), bdla_l5 = score(dag, data, type = "bdla", l = 5))
  named(number(found), names(found))
}

strengths <- function(data, algorithm) {
  set.seed(1)
  found <- boot.strength(data, R = 200, algorithm = algorithm, algorithm.args = list(score = "bic"))
  once <- found[found$from < found$to, ]
  named(number(once$strength), paste(once$from, once$to, sep = "|"))
}

rows <- c()
for (name in names(sizes)) {
  fitted <- read.bif(gzfile(file.path(arguments[1], paste0(name, ".bif.gz"))))
  set.seed(37)
  data <- rbn(fitted, sizes[[name]])
  dag <- bn.net(fitted)
  codes <- sapply(data, function(column) paste(digits[as.integer(column)], collapse = ""))
  facts <- c(states = named(sapply(data, function(column) listed(text(levels(column)))), names(data)),
             arcs = pairs(arcs(dag)), codes = named(text(codes), names(data)), true = totals(dag, data),
             empty = totals(empty.graph(names(data)), data), alpha_star = number(alpha.star(dag, data)))
  if (name %in% c("alarm", "hailfinder"))
    facts <- c(facts, hc = number(score(hc(data, score = "bic"), data, type = "bic")),
               tabu = number(score(tabu(data, score = "bic"), data, type = "bic")))
  if (name == "insurance")
    facts <- c(facts, boot_hc = strengths(data, "hc"), boot_tabu = strengths(data, "tabu"))
  rows <- c(rows, named(facts, names(facts)))
}
output <- gzfile(arguments[2], "w", compression = 9)
cat(named(c(text(paste("R bnlearn", packageVersion("bnlearn"))), rows), c("software", names(sizes))), "\n",
    file = output, sep = "")
close(output)
