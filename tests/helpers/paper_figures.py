"""The papers' tables as data, as printed.

Sweeney, Achieving k-anonymity privacy protection using generalization and suppression (2002),
and the nine-tuple example of Samarati's algorithm in Saroha, Survey of k-anonymity (2014).
A hierarchy maps each leaf to its labels, finest first; the suppressed value (printed as a run of
stars whose length varies) is ``*`` here.
"""

# --- Figure 1: an example of k-anonymity, k=2, QI={Race, Birth, Gender, ZIP} --------------------

FIGURE_1_COLUMNS = ("Race", "Birth", "Gender", "ZIP", "Problem")
FIGURE_1 = [
    ("Black", "1965", "m", "02141", "short breath"),
    ("Black", "1965", "m", "02141", "chest pain"),
    ("Black", "1964", "f", "02138", "obesity"),
    ("Black", "1964", "f", "02138", "chest pain"),
    ("White", "1964", "m", "02138", "chest pain"),
    ("White", "1964", "m", "02138", "obesity"),
    ("White", "1964", "m", "02138", "short breath"),
]
EXAMPLE_2_OCCURRENCES = {  # (column, value) -> how often T holds it, the value as in Figure 1
    ("Race", "Black"): 4,
    ("Race", "White"): 3,
    ("Birth", "1964"): 5,
    ("Birth", "1965"): 2,
    ("Gender", "m"): 5,
    ("Gender", "f"): 2,
    ("ZIP", "02138"): 5,
    ("ZIP", "02141"): 2,
}

# --- Figures 2, 3 and 6: hierarchies, the suppressed value included -----------------------------

ZIP = {  # Figure 2
    "02138": ["02138", "0213*", "021**", "*"],
    "02139": ["02139", "0213*", "021**", "*"],
    "02141": ["02141", "0214*", "021**", "*"],
    "02142": ["02142", "0214*", "021**", "*"],
}
RACE = {  # Figure 3; Figure 4 writes the values so
    "Asian": ["Asian", "Person", "*"],
    "Black": ["Black", "Person", "*"],
    "White": ["White", "Person", "*"],
}
RACE_LOWER_CASE = {  # Figure 3; Figure 7 writes the values so
    "asian": ["asian", "person", "*"],
    "black": ["black", "person", "*"],
    "white": ["white", "person", "*"],
}
# Figure 6 prints a Gender tree that the text of the paper does not describe: both readings.
GENDER_HEIGHT_1 = {"male": ["male", "*"], "female": ["female", "*"]}
GENDER_HEIGHT_2 = {"male": ["male", "human", "*"], "female": ["female", "human", "*"]}


def birth_date_labels(date):
    """Figure 6: full date, month/year, 1 year, 5 years, 10 years, suppressed."""
    month, _, year = date.split("/")
    five = int(year) // 5 * 5
    ten = int(year) // 10 * 10
    years_5 = f"{five}-{(five + 4) % 100:02}"
    years_10 = f"{ten}-{(ten + 9) % 100:02}"
    return [date, f"{month}/{year}", year, years_5, years_10, "*"]


# --- Figure 4: PT and its four generalizations, QI={Race, ZIP} ----------------------------------

FIGURE_4_PT = [
    ("Black", "02138"),
    ("Black", "02139"),
    ("Black", "02141"),
    ("Black", "02142"),
    ("White", "02138"),
    ("White", "02139"),
    ("White", "02141"),
    ("White", "02142"),
]
FIGURE_4_GT = {  # (level of Race, level of ZIP) -> table
    (1, 0): [
        ("Person", "02138"),
        ("Person", "02139"),
        ("Person", "02141"),
        ("Person", "02142"),
        ("Person", "02138"),
        ("Person", "02139"),
        ("Person", "02141"),
        ("Person", "02142"),
    ],
    (1, 1): [
        ("Person", "0213*"),
        ("Person", "0213*"),
        ("Person", "0214*"),
        ("Person", "0214*"),
        ("Person", "0213*"),
        ("Person", "0213*"),
        ("Person", "0214*"),
        ("Person", "0214*"),
    ],
    (0, 2): [
        ("Black", "021**"),
        ("Black", "021**"),
        ("Black", "021**"),
        ("Black", "021**"),
        ("White", "021**"),
        ("White", "021**"),
        ("White", "021**"),
        ("White", "021**"),
    ],
    (0, 1): [
        ("Black", "0213*"),
        ("Black", "0213*"),
        ("Black", "0214*"),
        ("Black", "0214*"),
        ("White", "0213*"),
        ("White", "0213*"),
        ("White", "0214*"),
        ("White", "0214*"),
    ],
}
EXAMPLE_3_SATISFIED_K = {(0, 1): {2}, (1, 0): {2}, (0, 2): {2, 3, 4}, (1, 1): {2, 3, 4}}
EXAMPLE_6_PREC = {(1, 0): "0.75", (1, 1): "0.58", (0, 2): "0.67", (0, 1): "0.83"}

# --- Figure 7: PT and GT, k=2, QI={Race, BirthDate, Gender, ZIP} --------------------------------

FIGURE_7_COLUMNS = ("Race", "BirthDate", "Gender", "ZIP", "Problem")
FIGURE_7_PT = {
    "t1": ("black", "9/20/1965", "male", "02141", "short of breath"),
    "t2": ("black", "2/14/1965", "male", "02141", "chest pain"),
    "t3": ("black", "10/23/1965", "female", "02138", "painful eye"),
    "t4": ("black", "8/24/1965", "female", "02138", "wheezing"),
    "t5": ("black", "11/7/1964", "female", "02138", "obesity"),
    "t6": ("black", "12/1/1964", "female", "02138", "chest pain"),
    "t7": ("white", "10/23/1964", "male", "02138", "short of breath"),
    "t8": ("white", "3/15/1965", "female", "02139", "hypertension"),
    "t9": ("white", "8/13/1964", "male", "02139", "obesity"),
    "t10": ("white", "5/5/1964", "male", "02139", "fever"),
    "t11": ("white", "2/13/1967", "male", "02138", "vomiting"),
    "t12": ("white", "3/21/1967", "male", "02138", "back pain"),
}
FIGURE_7_GT = {
    "t1": ("black", "1965", "male", "02141", "short of breath"),
    "t2": ("black", "1965", "male", "02141", "chest pain"),
    "t3": ("person", "1965", "female", "0213*", "painful eye"),
    "t4": ("person", "1965", "female", "0213*", "wheezing"),
    "t5": ("black", "1964", "female", "02138", "obesity"),
    "t6": ("black", "1964", "female", "02138", "chest pain"),
    "t7": ("white", "1960-69", "male", "02138", "short of breath"),
    "t8": ("person", "1965", "female", "0213*", "hypertension"),
    "t9": ("white", "1964", "male", "02139", "obesity"),
    "t10": ("white", "1964", "male", "02139", "fever"),
    "t11": ("white", "1960-69", "male", "02138", "vomiting"),
    "t12": ("white", "1960-69", "male", "02138", "back pain"),
}
FIGURE_7_PUBLISHED_PREC = {"PT": "1.00", "GT": "0.90"}

BIRTH_DATE = {row[1]: birth_date_labels(row[1]) for row in FIGURE_7_PT.values()}
FIGURE_7_HIERARCHIES = {  # by the height of the Gender tree
    1: [RACE_LOWER_CASE, BIRTH_DATE, GENDER_HEIGHT_1, ZIP],
    2: [RACE_LOWER_CASE, BIRTH_DATE, GENDER_HEIGHT_2, ZIP],
}

# --- Figures 9 and 10: Datafly on the PT of Figure 7, k=2 ---------------------------------------

FIGURE_9_A = [  # Race, BirthDate, Gender, ZIP, #occurs, tuples
    ("black", "9/20/65", "male", "02141", 1, ("t1",)),
    ("black", "2/14/65", "male", "02141", 1, ("t2",)),
    ("black", "10/23/65", "female", "02138", 1, ("t3",)),
    ("black", "8/24/65", "female", "02138", 1, ("t4",)),
    ("black", "11/7/64", "female", "02138", 1, ("t5",)),
    ("black", "12/1/64", "female", "02138", 1, ("t6",)),
    ("white", "10/23/64", "male", "02138", 1, ("t7",)),
    ("white", "3/15/65", "female", "02139", 1, ("t8",)),
    ("white", "8/13/64", "male", "02139", 1, ("t9",)),
    ("white", "5/5/64", "male", "02139", 1, ("t10",)),
    ("white", "2/13/67", "male", "02138", 1, ("t11",)),
    ("white", "3/21/67", "male", "02138", 1, ("t12",)),
]
FIGURE_9_A_DISTINCT = (2, 12, 2, 3)
FIGURE_9_B = [
    ("black", "1965", "male", "02141", 2, ("t1", "t2")),
    ("black", "1965", "female", "02138", 2, ("t3", "t4")),
    ("black", "1964", "female", "02138", 2, ("t5", "t6")),
    ("white", "1964", "male", "02138", 1, ("t7",)),
    ("white", "1965", "female", "02139", 1, ("t8",)),
    ("white", "1964", "male", "02139", 2, ("t9", "t10")),
    ("white", "1967", "male", "02138", 2, ("t11", "t12")),
]
FIGURE_9_B_DISTINCT = (2, 3, 2, 3)
FIGURE_10_MGT = [
    ("black", "1965", "male", "02141", "short of breath"),
    ("black", "1965", "male", "02141", "chest pain"),
    ("black", "1965", "female", "02138", "painful eye"),
    ("black", "1965", "female", "02138", "wheezing"),
    ("black", "1964", "female", "02138", "obesity"),
    ("black", "1964", "female", "02138", "chest pain"),
    ("white", "1964", "male", "02139", "obesity"),
    ("white", "1964", "male", "02139", "fever"),
    ("white", "1967", "male", "02138", "vomiting"),
    ("white", "1967", "male", "02138", "back pain"),
]
FIGURE_10_LEVELS = (0, 2, 0, 0)  # BirthDate at year
FIGURE_10_SUPPRESSED = ("t7", "t8")
FIGURE_10_PREC = "0.75"

# --- Figures 12 to 15: mu-Argus on the PT of Figure 7, k=2 --------------------------------------

MU_ARGUS_ATTRIBUTES = ("race", "birth", "sex", "zip")  # the columns as Figures 13 and 14 name them
MU_ARGUS_SENSITIVITY = {
    "race": "Identifying",
    "birth": "Most",
    "sex": "More",
    "zip": "More",
}
FIGURE_12_ALWAYS = [
    ("Identifying", "More", "Most"),
    ("Identifying", "Most", "Most"),
    ("Most", "Most", "Most"),
    ("Identifying", "More"),
    ("Identifying", "Most"),
    ("More", "Most"),
    ("Most", "Most"),
]
FIGURE_12_ONLY_IF_SEVERAL_IDENTIFYING = [
    ("More", "More", "Most"),
    ("Most", "Most", "More"),
    ("More", "More"),
]
FIGURE_13_V = [  # Birth, ZIP, occurs, tuples; every outliers set is printed empty
    ("1965", "02141", 2, ("t1", "t2")),
    ("1965", "02138", 2, ("t3", "t4")),
    ("1964", "02138", 3, ("t5", "t6", "t7")),
    ("1965", "02139", 1, ("t8",)),
    ("1964", "02139", 2, ("t9", "t10")),
    ("1967", "02138", 2, ("t11", "t12")),
]
FIGURE_13_FREQ = FIGURE_9_B  # the same sequences, counts and tuples
FIGURE_13_OUTLIERS = {"t8": [{"birth", "zip"}]}
FIGURE_14_OUTLIERS = {  # every other tuple has none
    "t7": [{"birth", "sex", "zip"}, {"race", "birth", "zip"}],
    "t8": [
        {"birth", "zip"},
        {"sex", "zip"},
        {"birth", "sex", "zip"},
        {"race", "birth", "sex"},
        {"race", "birth", "zip"},
        {"race", "sex"},
        {"race", "birth"},
    ],
}
FIGURE_14_UNDERLINED = {"t7": {"birth"}, "t8": {"birth", "sex"}}
FIGURE_15_MT = {  # None where the paper leaves the cell blank
    "t1": ("black", "1965", "male", "02141"),
    "t2": ("black", "1965", "male", "02141"),
    "t3": ("black", "1965", "female", "02138"),
    "t4": ("black", "1965", "female", "02138"),
    "t5": ("black", "1964", "female", "02138"),
    "t6": ("black", "1964", "female", "02138"),
    "t7": ("white", None, "male", "02138"),
    "t8": ("white", None, None, "02139"),
    "t9": ("white", "1964", "male", "02139"),
    "t10": ("white", "1964", "male", "02139"),
    "t11": ("white", "1967", "male", "02138"),
    "t12": ("white", "1967", "male", "02138"),
}
FIGURE_15_MT_ACTUAL = {
    "t1": ("black", "1965", "male", "02141"),
    "t2": ("black", "1965", "male", "02141"),
    "t3": ("black", "1965", "female", "02138"),
    "t4": ("black", "1965", "female", "02138"),
    "t5": ("black", "1964", "female", "02138"),
    "t6": ("black", "1964", "female", "02138"),
    "t7": ("white", "1964", "male", "02138"),
    "t8": ("white", None, "female", "02139"),
    "t9": ("white", "1964", "male", "02139"),
    "t10": ("white", "1964", "male", "02139"),
    "t11": ("white", "1967", "male", "02138"),
    "t12": ("white", "1967", "male", "02138"),
}

# --- Saroha 2014, section 3.3: Samarati's example, k=2, MaxSup=2, no suppression level ----------

SAMARATI_RACE = {
    "asian": ["asian", "person"],
    "black": ["black", "person"],
    "white": ["white", "person"],
}
SAMARATI_ZIP = {
    "94138": ["94138", "9413*", "941**"],
    "94139": ["94139", "9413*", "941**"],
    "94141": ["94141", "9414*", "941**"],
    "94142": ["94142", "9414*", "941**"],
}
SAMARATI_PT = {
    "t1": ("asian", "94142"),
    "t2": ("asian", "94141"),
    "t3": ("asian", "94139"),
    "t4": ("asian", "94139"),
    "t5": ("asian", "94139"),
    "t6": ("black", "94138"),
    "t7": ("black", "94139"),
    "t8": ("white", "94139"),
    "t9": ("white", "94141"),
}
SAMARATI_MAX_SUP = 2
SAMARATI_GT = {  # (level of Race, level of ZIP) -> the 2-minimal generalization, as printed
    (1, 0): {
        "t2": ("person", "94141"),
        "t3": ("person", "94139"),
        "t4": ("person", "94139"),
        "t5": ("person", "94139"),
        "t7": ("person", "94139"),
        "t8": ("person", "94139"),
        "t9": ("person", "94141"),
    },
    (0, 1): {
        "t1": ("asian", "9414*"),
        "t2": ("asian", "9414*"),
        "t3": ("asian", "9413*"),
        "t4": ("asian", "9413*"),
        "t5": ("asian", "9413*"),
        "t6": ("black", "9413*"),
        "t7": ("black", "9413*"),
    },
}
SAMARATI_SUPPRESSED = {(1, 0): ("t1", "t6"), (0, 1): ("t8", "t9")}
